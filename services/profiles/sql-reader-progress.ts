import type { Database } from '../database/database.ts';
import type { Position } from '../event-log/event-log.ts';
import { readAllPositions } from './positions.ts';
import type { ReaderProgress } from './profile-store.ts';

/** How far the readers have come, as a Postgres-compatible database remembers it. */
export class SqlReaderProgress implements ReaderProgress {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async progress(): Promise<{ readonly projector: readonly Position[]; readonly sink: readonly Position[] }> {
    const projector = await readAllPositions(this.#database);
    const sink = await this.#database.query<Position & Record<string, unknown>>(SINK_POSITIONS);
    return { projector, sink };
  }
}

/** What a plan sets out to insert counts once it is inserted. */
const SINK_POSITIONS = `
  select topic, partition,
         case when inserted then to_offset else from_offset end as offset,
         case when inserted then to_identity else from_identity end as identity
  from sink_plans`;
