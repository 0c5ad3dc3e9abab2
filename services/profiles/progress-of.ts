import type { Database } from '../database/database.ts';
import { SchemaDatabase } from '../database/schema-database.ts';
import type { Position } from '../event-log/event-log.ts';
import { type GenerationKind, schemaOf } from '../generations/generation.ts';
import { readAllPositions } from './positions.ts';

/** How far the reader of a generation has come. Positions of partitions never read are left out. */
export async function progressOf(
  database: Database,
  kind: GenerationKind,
  number: number,
): Promise<readonly Position[]> {
  const its = new SchemaDatabase(database, schemaOf(kind, number));
  return kind === 'profiles' ? readAllPositions(its) : its.query<Position>(SINK_POSITIONS);
}

/** What a plan sets out to insert counts once it is inserted. */
const SINK_POSITIONS = `
  select topic, partition,
         case when inserted then to_offset else from_offset end as offset,
         case when inserted then to_identity else from_identity end as identity
  from {sink_plans}`;
