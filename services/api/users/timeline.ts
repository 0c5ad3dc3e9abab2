/** `GET /v1/users/:user_id/timeline`: events, identifies, sessions and changes of audiences in one list, newest first. */
import type { AudienceStore } from '../../questions/saved/audience-store.ts';
import { QueryBudget } from '../../questions/query-budget.ts';
import { decodeCursor, encodeCursor } from '../../questions/events/cursor.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import type { EventCursor, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import type { UserChangeRow } from '../../stores/analytics/user-audiences.ts';
import type { IdentifyRow, ProjectUser, SessionRow } from '../../stores/analytics/user-messages.ts';
import {
  changesBeforeQuery,
  messagesBeforeQuery,
  type TimelineSpan,
  type VersionTraitsRow,
  versionTraitsQuery,
} from '../../stores/analytics/user-timeline.ts';
import type { Input } from '../input.ts';
import { given, readCursor, readRange, refuseParameter } from '../query.ts';
import { eventBody, readPage } from './events.ts';
import { changeLine, messageLine, typed } from './history-lines.ts';
import { userKeyOfPath } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';
import { NOBODY } from './users.ts';

export interface TimelineParts extends UserStores {
  readonly saved: Pick<AudienceStore, 'list'>;
}

/** Of one time, those of the first type come first. */
const TYPES = ['track', 'identify', 'session', 'audience'] as const;
type Type = (typeof TYPES)[number];

/** Where an entry stands: by its time downwards, then by its type, then by its id downwards. */
interface Place {
  readonly at: Micros;
  readonly type: Type;
  /** Of an event its cursor. */
  readonly id: string;
}

interface Entry {
  readonly place: Place;
  readonly write: (traits: TraitsByVersion) => string;
  /** Of a message that sets traits. */
  readonly version?: string;
}

type TraitsByVersion = ReadonlyMap<string, VersionTraitsRow>;

interface Asked extends ProjectUser {
  readonly event?: string;
  readonly since?: Micros;
  readonly until?: Micros;
  readonly after: Place | undefined;
  readonly limit: number;
}

/** What a source has: its newest entries, and whether others lie behind them. */
interface Found {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/** More characters of a message's traits are left out: the export has them. */
const MAX_TRAITS_CHARS = 8_000;
const NAMED_AUDIENCES = 1_000;

export function answerTimeline(
  parts: TimelineParts,
  { project }: Call,
  input: Input<'GET /v1/users/{user_id}/timeline'>,
): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const user = userKeyOfPath(project, input);
    if (!user.ok) return user.refusal;
    const types = readTypes(input.query.types);
    if (types === undefined) return UNKNOWN_TYPE;
    const range = readRange(input.query, project.timezone);
    if (!range.ok) return range.refusal;
    const after = readCursor(input.query.cursor, decodePlace);
    if (!after.ok) return after.refusal;
    const { limit, event } = input.query;
    const named = { projectId: project.id, userKey: user.value };
    const asked = { ...named, ...given({ event }), ...range.value, after: after.value, limit };
    const timeline = new Timeline(parts, parts.limitsOf(project), asked);
    const page = await answerOf('analytics', timeline.page(types));
    const isKnown = page.entries.length > 0 || after.value !== undefined;
    if (!isKnown && (await answerOf('profiles', parts.profiles.find(project.id, user.value))) === undefined)
      return NOBODY;
    const traits = await answerOf('analytics', timeline.traitsOf(page.entries));
    const bodies = page.entries.map(({ write }) => write(traits));
    const last = page.hasMore ? page.entries.at(-1) : undefined;
    const next = last === undefined ? null : encodePlace(last.place);
    return { status: 200, body: `{"timeline":[${bodies.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
  });
}

const UNKNOWN_TYPE = refuseParameter('types', `is not a list of ${TYPES.join(', ')}`).refusal;

function readTypes(text: string | undefined): readonly Type[] | undefined {
  if (text === undefined) return TYPES;
  const named = text.split(',');
  return named.every((name) => (TYPES as readonly string[]).includes(name))
    ? TYPES.filter((type) => named.includes(type))
    : undefined;
}

/** One page of it. */
class Timeline {
  readonly #parts: TimelineParts;
  readonly #limits: QueryLimits;
  readonly #budget: QueryBudget;
  readonly #asked: Asked;

  constructor(parts: TimelineParts, limits: QueryLimits, asked: Asked) {
    this.#parts = parts;
    this.#limits = limits;
    this.#budget = new QueryBudget(parts.analytics, limits);
    this.#asked = asked;
  }

  /** The newest entries of these types. */
  async page(types: readonly Type[]): Promise<Found> {
    const found: Found[] = [];
    for (const type of types) found.push(await this.#entriesOf(type));
    const all = found.flatMap(({ entries }) => entries).toSorted((one, other) => inOrder(one.place, other.place));
    // What lies behind the end of a source that has more may come before what that source has next.
    const ends = found.flatMap(({ entries, hasMore }) => (hasMore ? (entries.at(-1) ?? []) : []));
    const [end] = ends.toSorted((one, other) => inOrder(one.place, other.place));
    const sure = end === undefined ? all : all.slice(0, all.indexOf(end) + 1);
    const entries = sure.slice(0, this.#asked.limit);
    return { entries, hasMore: entries.length < all.length || end !== undefined };
  }

  /** What the messages among them say of traits. */
  async traitsOf(entries: readonly Entry[]): Promise<TraitsByVersion> {
    const versions = entries.flatMap(({ version }) => version ?? []);
    if (versions.length === 0) return new Map();
    const query = versionTraitsQuery(this.#asked, versions, MAX_TRAITS_CHARS);
    const rows = await this.#budget.ask<VersionTraitsRow>(query);
    return new Map(rows.map((row) => [row.version, row]));
  }

  async #entriesOf(type: Type): Promise<Found> {
    if (type === 'track') return this.#tracks();
    const span = this.#spanOf(type);
    const entries = type === 'audience' ? await this.#changes(span) : await this.#messages(type, span);
    return { entries: entries.slice(0, this.#asked.limit), hasMore: entries.length > this.#asked.limit };
  }

  /** A page of large events is short and has a cursor all the same. */
  async #tracks(): Promise<Found> {
    const { after, until = END_OF_TIME, ...asked } = this.#asked;
    const { at, id } = this.#spanOf('track').before;
    const position = after?.type === 'track' ? decodeCursor(id) : undefined;
    const query = { ...asked, ...(position === undefined ? { until: least(at, until) } : { after: position, until }) };
    const { events, nextCursor } = await readPage(this.#parts.analytics, query);
    return {
      entries: events.map((event) => ({
        place: { at: event.timestamp, type: 'track', id: encodeCursor(event) },
        write: () => typed('track', eventBody(event)),
      })),
      hasMore: nextCursor !== null,
    };
  }

  async #messages(type: 'identify' | 'session', span: TimelineSpan): Promise<readonly Entry[]> {
    const rows = await this.#budget.ask<IdentifyRow | SessionRow>(messagesBeforeQuery(type, this.#asked, span));
    return rows.map((row) => ({
      place: { at: BigInt(row.occurred), type, id: row.message_id },
      version: row.version,
      write: (traits) => messageEntry(row, traits.get(row.version)),
    }));
  }

  async #changes(span: TimelineSpan): Promise<readonly Entry[]> {
    const { analytics, saved } = this.#parts;
    const found = await analytics.askHistory(changesBeforeQuery(this.#asked, span), this.#limits);
    const rows = found.rows as readonly unknown[] as readonly UserChangeRow[];
    if (rows.length === 0) return [];
    const audiences = await answerOf('profiles', saved.list(this.#asked.projectId, NAMED_AUDIENCES));
    const names = new Map(audiences.map(({ id, name }) => [id, name]));
    return rows.map((row) => ({
      place: { at: BigInt(row.at), type: 'audience', id: row.audience_id },
      write: () => changeLine(row, names.get(row.audience_id) ?? null),
    }));
  }

  /** What of a type lies behind the page before. */
  #spanOf(type: Type): TimelineSpan {
    const { after, since = EARLIEST, until = END_OF_TIME, limit } = this.#asked;
    const wanted = { since, limit: limit + 1 };
    if (after === undefined) return { ...wanted, before: { at: until, id: '' } };
    if (after.type === type) return { ...wanted, before: after };
    const isLater = TYPES.indexOf(type) > TYPES.indexOf(after.type);
    return { ...wanted, before: { at: isLater ? after.at + 1n : after.at, id: '' } };
  }
}

function messageEntry(row: IdentifyRow | SessionRow, found: VersionTraitsRow | undefined): string {
  const line = messageLine(row, found?.traits ?? []);
  const isCut = found !== undefined && Number(found.chars) > MAX_TRAITS_CHARS;
  return isCut ? `${line.slice(0, -1)},"cut":true}` : line;
}

function inOrder(one: Place, other: Place): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  if (one.type !== other.type) return TYPES.indexOf(one.type) - TYPES.indexOf(other.type);
  return one.type === 'track' ? 0 : Buffer.compare(Buffer.from(other.id), Buffer.from(one.id));
}

function least(one: Micros, other: Micros): Micros {
  return one < other ? one : other;
}

function encodePlace({ at, type, id }: Place): string {
  return Buffer.from(`${at} ${type} ${id}`).toString('base64url');
}

const PLACE = /^(-?\d{1,17}) ([a-z]+) (.{1,2000})$/su;

function decodePlace(text: string): Place | undefined {
  const [, at = '', type, id = ''] = PLACE.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const known = TYPES.find((one) => one === type);
  if (known === undefined) return undefined;
  const place = { at: BigInt(at), type: known, id };
  const isPossible =
    place.at >= EARLIEST && place.at < END_OF_TIME && !id.includes('\0') && encodePlace(place) === text;
  return isPossible && (known !== 'track' || isEventAt(decodeCursor(id), place.at)) ? place : undefined;
}

function isEventAt(event: EventCursor | undefined, at: Micros): boolean {
  return event?.timestamp === at;
}
