/** A saved audience as it is answered. */
import { describeLines } from '../../questions/definition/describe.ts';
import { type AudienceNames, namesReferredTo, readSaved } from '../../questions/saved/references.ts';
import type { NewAudience, SavedAudience } from '../../questions/saved/audience-store.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { mapYielding } from '../../runtime/event-loop-yielder.ts';
import { etagOf } from '../../http/etags.ts';
import type { Answer } from '../../http/route.ts';
import type { Warning } from '../../questions/definition/reading.ts';
import { beyondKept } from './kept-events.ts';
import { formatMicros, formatMs } from '../../messages/timestamp.ts';
import type { Project } from '../../stores/projects/project-store.ts';

type Zone = Pick<Project, 'timezone'>;

/** The audience, with what `If-Match` takes. */
export async function audienceAnswer(
  saved: Pick<SqlAudienceStore, 'findAll'>,
  audience: SavedAudience,
  project: Pick<Project, 'id' | 'timezone' | 'keepEventsMonths' | 'eventsFrom'>,
  { headers = {}, warnings = [] }: Pick<Answer, 'headers'> & { readonly warnings?: readonly Warning[] } = {},
): Promise<Answer> {
  const names = await namesReferredTo(saved, project.id, [audience]);
  const read = readSaved(audience, project, names);
  const kept = read.ok ? beyondKept(project, read.definition, '/definition') : [];
  const body = withWarnings(audienceJson(audience, project, names), [...warnings, ...kept]);
  return { status: 200, body, headers: { ...headers, ETag: etagOf(audience.revision) } };
}

export async function audiencesJson(
  saved: Pick<SqlAudienceStore, 'findAll'>,
  audiences: readonly SavedAudience[],
  project: Pick<Project, 'id' | 'timezone'>,
): Promise<readonly string[]> {
  const names = await namesReferredTo(saved, project.id, audiences);
  return mapYielding(audiences, (audience) => audienceJson(audience, project, names));
}

/** The JSON of an object, with the warnings about a definition if there are any. */
export function withWarnings(body: string, warnings: readonly Warning[]): string {
  if (warnings.length === 0) return body;
  const list = warnings.map(({ path, message, instead }) => {
    return { pointer: path, message, ...(instead !== undefined && { instead: JSON.rawJSON(instead) }) };
  });
  return `${body.slice(0, -1)},"warnings":${JSON.stringify(list)}}`;
}

function audienceJson(audience: SavedAudience, project: Zone, names: AudienceNames): string {
  const {
    id,
    name,
    note,
    tags,
    version,
    revision,
    createdAtMs,
    updatedAtMs,
    evaluation,
    failure,
    isLive,
    liveThrough,
  } = audience;
  const rest = {
    version,
    revision,
    refresh: refreshOf(audience),
    created_at: formatMs(createdAtMs),
    updated_at: formatMs(updatedAtMs),
    evaluation: evaluation && { ...evaluation, at: formatMicros(evaluation.at) },
    failure,
    // No change is there yet of a definition that has not been evaluated.
    live_through: isLive && liveThrough !== null && evaluation?.version === version ? formatMicros(liveThrough) : null,
  };
  const head = JSON.stringify({ id, name, note, tags }).slice(0, -1);
  return `${head},${definitionJson(audience, project, names)},${JSON.stringify(rest).slice(1)}`;
}

/** The definition, and the same in English. It is JSON text already and goes in untouched, every digit kept. */
export function definitionJson(saved: Pick<SavedAudience, 'definition'>, project: Zone, names: AudienceNames): string {
  const read = readSaved(saved, project, names);
  // A newer version may have saved what this one cannot read.
  const description = read.ok ? describeLines(read.definition) : saved.definition;
  return `"definition":${saved.definition},"description":${JSON.stringify(description)}`;
}

/** How an audience is kept up to date, as text: `live`, or how often it is evaluated: `15m`, `1h`, `1d`, `1w`. Pure. */

export const LIVE = 'live';

/** Null: only when it is asked for. */
export function refreshOf({ refreshMs, isLive = false }: Pick<NewAudience, 'refreshMs' | 'isLive'>): string | null {
  if (isLive) return LIVE;
  return refreshMs === null ? null : formatRefresh(refreshMs);
}

const UNITS = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

const MOST_MS = 366 * 86_400_000;

/** Milliseconds, or live; undefined if the text is invalid, less than a minute or more than a year. */
export function parseRefresh(text: string): number | typeof LIVE | undefined {
  if (text === LIVE) return LIVE;
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS.find(([name]) => name === unit)?.[1] ?? Number.NaN);
  return ms >= 60_000 && ms <= MOST_MS ? ms : undefined;
}

/** In the largest unit that divides it evenly. */
function formatRefresh(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, size]) => ms % size === 0) ?? ['m', 60_000];
  return `${Math.round(ms / unitMs)}${unit}`;
}
