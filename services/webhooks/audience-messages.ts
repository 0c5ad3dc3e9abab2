/** The messages of `audience.changed`: parts of the history of an audience, read anew for every attempt. */
import type { Micros } from '../messages/message.ts';
import { formatMicros, parseTimestamp } from '../messages/timestamp.ts';
import type { AnalyticsReader, ChangesQuery, QueryLimits } from '../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../stores/analytics/live-history.ts';
import { audienceMembersQuery } from '../stores/analytics/audience-members-query.ts';
import { userNumber } from '../stores/analytics/columns.ts';
import type { ProfileReader } from '../stores/profiles/profile-reader.ts';
import { NO_TRAITS, readTraitChoice, type TraitChoice, withTraits } from '../stores/profiles/trait-choice.ts';
import type { AudienceBehind, AudiencePosition, AudienceRange, Endpoint } from './endpoint-store.ts';

/** What can be read of the changes of audiences, as `GET /v1/audiences/{id}/changes` has it. */
export interface ReadableHistory {
  /** Up to when; null: nothing yet. */
  until(projectId: string, audienceId: string): Promise<Micros | null>;
  changes(query: Omit<ChangesQuery, 'epochs'>, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>>;
  /** Which live changes count. */
  epochs(): Promise<readonly LiveEpoch[]>;
}

export interface HistoryParts {
  readonly analytics: Pick<AnalyticsReader, 'askHistory'>;
  readonly history: ReadableHistory;
  readonly profiles: Pick<ProfileReader, 'traitsPage'>;
  readonly limits: QueryLimits;
}

/** A range of an audience's history, and the JSON of its changes. */
export interface ReadRange {
  readonly range: AudienceRange;
  readonly changes: readonly string[];
}

// Bounds a message of users with wide traits. Standard Webhooks recommends messages that are small.
const MAX_TRAIT_CHARS = 1_000_000;
const LAST_USER = 2n ** 128n - 1n;

/**
 * Reads what an endpoint gets next of an audience: none at all where nothing can be read now, no changes where there are
 * none up to the end of the range.
 *
 * @throws TidemarkError as `AnalyticsReader.ask` and `ProfileReader.traitsPage`.
 */
export async function readNextRange(
  parts: HistoryParts,
  endpoint: Endpoint,
  { position: from, ...audience }: AudienceBehind,
): Promise<ReadRange | undefined> {
  const { batchSize } = endpoint;
  const projectId = ownProject(endpoint);
  const until = await parts.history.until(projectId, audience.audienceId);
  if (until === null || until < from.at) return undefined;
  const found = await linesAfter(parts, { ...audience, projectId, from, until, limit: batchSize });
  const changes = await changesWith(parts, endpoint, found, 'some');
  const isAll = found.length < batchSize && changes.length === found.length;
  const last = found[changes.length - 1];
  const to = isAll || last === undefined ? rangeEnd(from, until) : positionOf(from, last);
  return { range: { ...audience, from, to, changes: changes.length }, changes };
}

/**
 * Reads a range again: the changes that it had, less those of users who were forgotten since. Their number alone would let
 * the next ones in. @throws as `readNextRange`.
 */
export async function readRangeAgain(
  parts: HistoryParts,
  endpoint: Endpoint,
  { audienceId, from, to, changes: limit }: AudienceRange,
): Promise<readonly string[]> {
  const found = await linesAfter(parts, { projectId: ownProject(endpoint), audienceId, from, until: to.at, limit });
  const isWithin = ({ at, internalId }: Line): boolean =>
    to.afterUser === null || internalId <= to.afterUser || (!to.isInitial && instantOf(at) < to.at);
  const within = found.filter(isWithin);
  return changesWith(parts, endpoint, within, 'all');
}

/** The body of a message. Digits of traits are as they were sent. */
export function messageBody({ projectId }: Endpoint, range: AudienceRange, changes: readonly string[]): string {
  const { audienceId, audienceName, to } = range;
  const audience = JSON.stringify({ id: audienceId, name: audienceName });
  const data = `{"project_id":${JSON.stringify(projectId)},"audience":${audience},"changes":[${changes.join(',')}]}`;
  return `{"type":"audience.changed","timestamp":"${formatMicros(to.at)}","data":${data}}`;
}

interface Line {
  /** JSON, as the stream of changes has it. */
  readonly text: string;
  readonly internalId: string;
  readonly at: string;
}

interface LinesQuery {
  readonly projectId: string;
  readonly audienceId: string;
  readonly from: AudiencePosition;
  readonly until: Micros;
  readonly limit: number;
}

async function linesAfter(parts: HistoryParts, query: LinesQuery): Promise<readonly Line[]> {
  const { projectId, audienceId, from, until, limit } = query;
  const { analytics, history, limits } = parts;
  if (from.isInitial) {
    const epochs = await history.epochs();
    const members = { projectId, audienceId, at: from.at, after: from.afterUser, limit, epochs };
    const { rows } = await analytics.askHistory(audienceMembersQuery(members), limits);
    return rows.map((row) => lineOf(JSON.stringify(row)));
  }
  const user = from.afterUser === null ? LAST_USER : BigInt(userNumber(from.afterUser));
  const changes = { projectId, audienceId, after: { at: from.at, user }, until, limit };
  const chunks = await Array.fromAsync(await history.changes(changes, limits));
  const text = Buffer.concat(chunks).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(lineOf);
}

function lineOf(text: string): Line {
  const { internal_id: internalId, at } = JSON.parse(text) as { readonly internal_id: string; readonly at: string };
  return { text, internalId, at };
}

/**
 * The JSON of changes with the traits that the endpoint wants.
 *
 * @param which `some`: only the first, where the traits of all would be a large message.
 */
async function changesWith(
  { profiles }: HistoryParts,
  endpoint: Endpoint,
  lines: readonly Line[],
  which: 'some' | 'all',
): Promise<readonly string[]> {
  const traits = choiceOf(endpoint.traits);
  if (traits === NO_TRAITS) return lines.map(({ text }) => text);
  const changes: string[] = [];
  while (changes.length < lines.length) {
    const users = lines.slice(changes.length);
    const keys = users.map(({ internalId }) => internalId);
    const found = await profiles.traitsPage(ownProject(endpoint), keys, traits.paths, MAX_TRAIT_CHARS);
    for (const [index, values] of found.entries()) changes.push(withTraits(users[index]?.text ?? '', traits, values));
    if (which === 'some' || found.length === 0) break;
  }
  return changes;
}

/** Only an endpoint of a project is sent changes. */
function ownProject({ id, projectId }: Endpoint): string {
  if (projectId === null) throw new Error(`${id} is of no project`);
  return projectId;
}

/** It was checked when the endpoint was saved. */
function choiceOf(traits: string | null): TraitChoice {
  const read = readTraitChoice(traits ?? undefined);
  return read.ok ? read.value : NO_TRAITS;
}

/** Behind all that can be read; after the members come the changes since their evaluation. */
function rangeEnd(from: AudiencePosition, until: Micros): AudiencePosition {
  return { isInitial: false, at: from.isInitial ? from.at : until, afterUser: null };
}

function positionOf(from: AudiencePosition, { internalId, at }: Line): AudiencePosition {
  return from.isInitial
    ? { ...from, afterUser: internalId }
    : { isInitial: false, at: instantOf(at), afterUser: internalId };
}

/** The instant of a time that was written by the service. */
export function instantOf(at: string): Micros {
  const read = parseTimestamp(at, 'UTC');
  if (!read.ok) throw new Error(`not a time of ours: ${at}`);
  return read.micros;
}
