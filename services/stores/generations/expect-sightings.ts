import { TidemarkError } from '../../runtime/errors.ts';
import type { Database } from '../database/database.ts';
import { hasSightingsSql } from '../profiles/sightings.ts';
import { type GenerationKind, tableOf } from './generation.ts';
import type { LiveGenerations } from './live-generations.ts';

const POSITIONS = { profiles: 'reader_positions', analytics: 'sink_plans' } as const;

/**
 * Resolves where the generations that answer for a project have every sighting: with half of them an id of several people looks
 * like that of one.
 *
 * @throws TidemarkError `IDS_NOT_JOINED`, with the commands that mend it.
 */
export async function expectSightings(
  database: Database,
  live: Pick<LiveGenerations, 'numberOf'>,
  projectId: string,
): Promise<void> {
  const older = await database.query('select 1 from projects where id = $1 and began_before_sightings', [projectId]);
  if (older.length === 0) return;
  const lacking: GenerationKind[] = [];
  for (const kind of ['profiles', 'analytics'] as const) {
    if (!(await haveSightings(database, kind, [await live.numberOf(kind, projectId)]))) lacking.push(kind);
  }
  if (lacking.length === 0) return;
  const commands = lacking.map((kind) => `tidemark replay ${kind}`).join(' and ');
  throw new TidemarkError(
    'IDS_NOT_JOINED',
    `Old messages were read before ids could be joined. Replay first: ${commands}.`,
  );
}

/** Whether all of these generations have every sighting. */
export async function haveSightings(
  database: Database,
  kind: GenerationKind,
  numbers: readonly number[],
): Promise<boolean> {
  const conditions = numbers.map((number) => hasSightingsSql(tableOf(kind, number, POSITIONS[kind])));
  const [row] = await database.query<{ readonly has: boolean }>(`select ${conditions.join(' and ')} as has`);
  return row?.has === true;
}
