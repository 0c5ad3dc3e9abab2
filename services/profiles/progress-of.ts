import type { Queryable } from '../database/database.ts';
import type { Position } from '../event-log/event-log.ts';
import { type GenerationKind, tableOf } from '../generations/generation.ts';

/** How far the reader of a generation has come. Positions of partitions never read are left out. */
export async function progressOf(
  database: Queryable,
  kind: GenerationKind,
  number: number,
): Promise<readonly Position[]> {
  if (kind === 'profiles') {
    const table = tableOf(kind, number, 'reader_positions');
    return database.query<Position>(`select topic, partition, next_offset as offset, identity from ${table}`);
  }
  // What a plan sets out to insert counts once it is inserted.
  return database.query<Position>(
    `select topic, partition,
            case when inserted then to_offset else from_offset end as offset,
            case when inserted then to_identity else from_identity end as identity
     from ${tableOf(kind, number, 'sink_plans')}`,
  );
}

/**
 * How far a generation can have come by now, whatever is still under way: of analytics the end of what is planned, for
 * rows of it may be there already.
 */
export async function reachOf(database: Queryable, kind: GenerationKind, number: number): Promise<readonly Position[]> {
  if (kind === 'profiles') return progressOf(database, kind, number);
  return database.query<Position>(
    `select topic, partition, to_offset as offset, to_identity as identity from ${tableOf(kind, number, 'sink_plans')}`,
  );
}
