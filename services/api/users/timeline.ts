/** `GET /v1/users/:user_id/timeline`: events, identifies, sessions and changes of audiences in one list, newest first. */
import { QueryBudget } from '../../questions/query-budget.ts';
import { decodeCursor, encodeCursor } from '../../questions/events/cursor.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import type { QueryLimits } from '../../stores/analytics/analytics-store.ts';
import {
  changesOfSpanQuery,
  type IdentifyRow,
  messagesOfSpanQuery,
  type SessionRow,
  type SettingType,
  type HistorySpan,
  type UserChangeRow,
  type VersionTraitsRow,
  versionTraitsQuery,
} from '../../questions/users/user-history.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Input } from '../input.ts';
import { given, readCursor, readRange, refuseParameter } from '../query.ts';
import { eventBody, readPage } from './events.ts';
import { changeLine, messageLine, typed } from './history-lines.ts';
import { answerIfKnown, personNamed } from './named-user.ts';
import type { UserStores } from './store-parts.ts';

export interface TimelineParts extends UserStores {
  readonly saved: Pick<SqlAudienceStore, 'list' | 'liveEpochs'>;
}

/** At one time, those of the first type come first. */
const ENTRY_TYPES = ['track', 'identify', 'session', 'audience'] as const;
type Type = (typeof ENTRY_TYPES)[number];

/** Where an entry stands: by its time downwards, then by its type, then by its id downwards. */
interface TimelinePosition {
  readonly at: Micros;
  readonly type: Type;
  /** An event has its cursor here. */
  readonly id: string;
}

interface Entry {
  readonly position: TimelinePosition;
  readonly write: (traits: TraitsByVersion) => string;
  /** Only a message that sets traits has one. */
  readonly version?: string;
}

type TraitsByVersion = ReadonlyMap<string, VersionTraitsRow>;

interface TimelineQuestion extends ProjectUser {
  readonly event?: string;
  readonly since?: Micros;
  readonly until?: Micros;
  readonly after: TimelinePosition | undefined;
  readonly limit: number;
}

/** What a source has: its newest entries, and whether others lie behind them. */
interface FoundEntries {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/** More characters of a message's traits are left out: the export has them. */
const MAX_TRAITS_CHARS = 8_000;
const NAMED_AUDIENCES = 1_000;

export async function answerTimeline(
  parts: TimelineParts,
  { project }: Call,
  userKey: string,
  { query }: Input<'GET /v1/users/{user_id}/timeline'>,
): Promise<Answer | Refusal> {
  const types = readTypes(query.types);
  if (types === undefined) return UNKNOWN_TYPE;
  const range = readRange(query, project.timezone);
  if (!range.ok) return range.refusal;
  const after = readCursor(query.cursor, decodeTimelinePosition);
  if (!after.ok) return after.refusal;
  const { limit, event } = query;
  const person = await personNamed(parts, project, userKey);
  const question = { ...person, ...given({ event }), ...range.value, after: after.value, limit };
  const timeline = new Timeline(parts, parts.limitsOf(project), question);
  const page = await timeline.page(types);
  const traits = await timeline.traitsOf(page.entries);
  const bodies = page.entries.map(({ write }) => write(traits));
  const last = page.hasMore ? page.entries.at(-1) : undefined;
  const next = last === undefined ? null : encodeTimelinePosition(last.position);
  const body = `{"timeline":[${bodies.join(',')}],"next_cursor":${JSON.stringify(next)}}`;
  return answerIfKnown(parts, person, bodies.length > 0 || after.value !== undefined, body);
}

const UNKNOWN_TYPE = refuseParameter('types', `is not a list of ${ENTRY_TYPES.join(', ')}`).refusal;

function readTypes(text: string | undefined): readonly Type[] | undefined {
  if (text === undefined) return ENTRY_TYPES;
  const named = text.split(',');
  return named.every((name) => (ENTRY_TYPES as readonly string[]).includes(name))
    ? ENTRY_TYPES.filter((type) => named.includes(type))
    : undefined;
}

/** One page of it. */
class Timeline {
  readonly #parts: TimelineParts;
  readonly #limits: QueryLimits;
  readonly #budget: QueryBudget;
  readonly #question: TimelineQuestion;

  constructor(parts: TimelineParts, limits: QueryLimits, question: TimelineQuestion) {
    this.#parts = parts;
    this.#limits = limits;
    this.#budget = new QueryBudget(parts.analytics, limits);
    this.#question = question;
  }

  /** The newest entries of these types. */
  async page(types: readonly Type[]): Promise<FoundEntries> {
    const found: FoundEntries[] = [];
    for (const type of types) found.push(await this.#entriesOf(type));
    const all = found.flatMap(({ entries }) => entries).toSorted((one, other) => inOrder(one.position, other.position));
    // What lies behind the end of a source that has more may come before what that source has next.
    const ends = found.flatMap(({ entries, hasMore }) => (hasMore ? (entries.at(-1) ?? []) : []));
    const [end] = ends.toSorted((one, other) => inOrder(one.position, other.position));
    const sure = end === undefined ? all : all.slice(0, all.indexOf(end) + 1);
    const entries = sure.slice(0, this.#question.limit);
    return { entries, hasMore: entries.length < all.length || end !== undefined };
  }

  /** What the messages among them say of traits. */
  async traitsOf(entries: readonly Entry[]): Promise<TraitsByVersion> {
    const versions = entries.flatMap(({ version }) => version ?? []);
    if (versions.length === 0) return new Map();
    const query = versionTraitsQuery(this.#question, versions, MAX_TRAITS_CHARS);
    const rows = await this.#budget.ask<VersionTraitsRow>(query);
    return new Map(rows.map((row) => [row.version, row]));
  }

  async #entriesOf(type: Type): Promise<FoundEntries> {
    if (type === 'track') return this.#tracks();
    const span = this.#spanOf(type);
    const entries = type === 'audience' ? await this.#changes(span) : await this.#messages(type, span);
    return { entries: entries.slice(0, this.#question.limit), hasMore: entries.length > this.#question.limit };
  }

  /** A page of large events is short and has a cursor all the same. */
  async #tracks(): Promise<FoundEntries> {
    const { after, until = END_OF_TIME, ...question } = this.#question;
    const { at, id } = this.#spanOf('track').before;
    const position = after?.type === 'track' ? decodeCursor(id) : undefined;
    const query = {
      ...question,
      ...(position === undefined ? { until: at < until ? at : until } : { after: position, until }),
    };
    const { events, nextCursor } = await readPage(this.#parts.analytics, query);
    return {
      entries: events.map((event) => ({
        position: { at: event.timestamp, type: 'track', id: encodeCursor(event) },
        write: () => typed('track', eventBody(event)),
      })),
      hasMore: nextCursor !== null,
    };
  }

  async #messages(type: SettingType, span: HistorySpan): Promise<readonly Entry[]> {
    const rows = await this.#budget.ask<IdentifyRow | SessionRow>(messagesOfSpanQuery(type, this.#question, span));
    return rows.map((row) => ({
      position: { at: BigInt(row.occurred), type, id: row.message_id },
      version: row.version,
      write: (traits) => messageEntry(row, traits.get(row.version)),
    }));
  }

  async #changes(span: HistorySpan): Promise<readonly Entry[]> {
    const { analytics, saved } = this.#parts;
    const epochs = await saved.liveEpochs();
    const found = await analytics.askHistory(changesOfSpanQuery(this.#question, span, epochs), this.#limits);
    const rows = found.rows as readonly unknown[] as readonly UserChangeRow[];
    if (rows.length === 0) return [];
    const audiences = await saved.list(this.#question.projectId, NAMED_AUDIENCES);
    const names = new Map(audiences.map(({ id, name }) => [id, name]));
    return rows.map((row) => ({
      position: { at: BigInt(row.at), type: 'audience', id: row.audience_id },
      write: () => changeLine(row, names.get(row.audience_id) ?? null),
    }));
  }

  /** What of a type lies behind the page before. */
  #spanOf(type: Type): Extract<HistorySpan, { readonly before: unknown }> {
    const { after, since = EARLIEST, until = END_OF_TIME, limit } = this.#question;
    const wanted = { since, limit: limit + 1 };
    if (after === undefined) return { ...wanted, before: { at: until, id: '' } };
    if (after.type === type) return { ...wanted, before: after };
    const isLater = ENTRY_TYPES.indexOf(type) > ENTRY_TYPES.indexOf(after.type);
    return { ...wanted, before: { at: isLater ? after.at + 1n : after.at, id: '' } };
  }
}

function messageEntry(row: IdentifyRow | SessionRow, found: VersionTraitsRow | undefined): string {
  const line = messageLine(row, found?.traits ?? []);
  const isCut = found !== undefined && Number(found.chars) > MAX_TRAITS_CHARS;
  return isCut ? `${line.slice(0, -1)},"cut":true}` : line;
}

function inOrder(one: TimelinePosition, other: TimelinePosition): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  if (one.type !== other.type) return ENTRY_TYPES.indexOf(one.type) - ENTRY_TYPES.indexOf(other.type);
  return one.type === 'track' ? 0 : Buffer.compare(Buffer.from(other.id), Buffer.from(one.id));
}

function encodeTimelinePosition({ at, type, id }: TimelinePosition): string {
  return Buffer.from(`${at} ${type} ${id}`).toString('base64url');
}

const POSITION = /^(-?\d{1,17}) ([a-z]+) (.{1,2000})$/su;

function decodeTimelinePosition(text: string): TimelinePosition | undefined {
  const [, at = '', type, id = ''] = POSITION.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const known = ENTRY_TYPES.find((one) => one === type);
  if (known === undefined) return undefined;
  const position = { at: BigInt(at), type: known, id };
  const isPossible =
    position.at >= EARLIEST &&
    position.at < END_OF_TIME &&
    !id.includes('\0') &&
    encodeTimelinePosition(position) === text;
  return isPossible && (known !== 'track' || decodeCursor(id)?.timestamp === position.at) ? position : undefined;
}
