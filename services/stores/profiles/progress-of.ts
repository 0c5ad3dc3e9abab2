import type { Queryable } from '../database/database.ts';
import type { Position } from '../../event-log/event-log.ts';
import { type GenerationKind, tableOf } from '../generations/generation.ts';

/** How far the reader of a generation has come. Positions of partitions never read are left out. */
export async function progressOf(
  database: Queryable,
  kind: GenerationKind,
  number: number,
): Promise<readonly Position[]> {
  if (kind === 'profiles') {
    const table = progressTable(kind, number);
    return database.query<Position>(`select topic, partition, next_offset as offset, identity from ${table}`);
  }
  const positions = await sinkPositions(database, number);
  return positions.map(({ topic, partition, offset, identity }) => ({ topic, partition, offset, identity }));
}

/** The sink's position in a partition. */
export interface SinkPosition extends Position {
  /** Where it was set back, because analytics had lost rows: the end that the log had then. */
  readonly behindUntil: bigint | null;
}

/** How far the sink of a generation of analytics has come. Partitions never read are left out. */
export async function sinkPositions(database: Queryable, number: number): Promise<readonly SinkPosition[]> {
  return database.query<SinkPosition>(SINK_POSITIONS.replace('TABLE', progressTable('analytics', number)));
}

// What a plan sets out to insert counts once it is inserted.
const SINK_POSITIONS = `
  select topic, partition, behind_until as "behindUntil",
         case when inserted then to_offset else from_offset end as offset,
         case when inserted then to_identity else from_identity end as identity
  from TABLE`;

/** As `progressOf`; nothing where the generation has no tables: they are made after it, and deleted before it is gone. */
export async function progressSoFar(
  database: Queryable,
  kind: GenerationKind,
  number: number,
): Promise<readonly Position[]> {
  try {
    return await progressOf(database, kind, number);
  } catch {
    const table = progressTable(kind, number);
    const [found] = await database.query<{ made: boolean }>('select to_regclass($1) is not null as made', [table]);
    // They may have been made since; where it was something else, asking again tells so again.
    return found?.made === false ? [] : progressOf(database, kind, number);
  }
}

/**
 * How far a generation can have come by now, whatever is still under way: of analytics the end of what is planned, for
 * rows of it may be there already; of profiles what they may be ahead to. The identities are of no use.
 */
export async function checkedRangesOf(
  database: Queryable,
  kind: GenerationKind,
  number: number,
): Promise<readonly Position[]> {
  const columns =
    kind === 'profiles'
      ? 'greatest(next_offset, ahead_to) as offset, identity'
      : 'to_offset as offset, to_identity as identity';
  return database.query<Position>(`select topic, partition, ${columns} from ${progressTable(kind, number)}`);
}

function progressTable(kind: GenerationKind, number: number): string {
  return tableOf(kind, number, kind === 'profiles' ? 'reader_positions' : 'sink_plans');
}
