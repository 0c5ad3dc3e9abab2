import type {
  AnalyticsReader,
  ChangesQuery,
  EventCursor,
  EventsQuery,
  Query,
  QueryLimits,
  QueryResult,
  StoredEvent,
} from '../../../services/stores/analytics/analytics-store.ts';
import { beginningOf } from '../../../services/event-log/identity.ts';
import type { Position } from '../../../services/event-log/event-log.ts';
import type { Micros } from '../../../services/messages/message.ts';
import type { ReaderName } from '../../../services/stores/profiles/profile-store.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Placement } from '../../../services/stores/analytics/placement.ts';
import type { LiveGenerations } from '../../../services/stores/generations/live-generations.ts';

function unreachableError(): TidemarkError {
  return new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
}

export interface KeptEvent extends StoredEvent {
  readonly projectId: string;
  readonly userKey: string;
}

export type GivenEvent = Partial<KeptEvent> & Pick<KeptEvent, 'messageId'>;

/** Events in memory, in the order that the port promises. Questions get the answer that was laid out for them. */
export class MemoryAnalytics implements AnalyticsReader {
  readonly events: KeptEvent[] = [];
  readonly queries: EventsQuery[] = [];
  answer: (query: Query, limits: QueryLimits) => QueryResult | Error = () => ({
    rows: [],
    tookMs: 1,
    rowsRead: 0,
    bytesRead: 0,
  });
  unreachable = false;
  /** Whether it answers the catalog, by `answer` as all else. */
  hasCatalog = true;
  /** What questions and streams wait for. */
  gate: Promise<void> | undefined;
  /** What a stream gives, a line each; an error cuts it there. */
  lines: readonly (object | Error)[] = [];
  /** What each line waits for but the first. */
  linesGate: Promise<void> | undefined;
  settled: Micros | null = null;
  /** Streams that have been read to their end or left. */
  ended = 0;

  /** An event of a user, of a second after 1970 where nothing else is given. */
  add(user: Pick<KeptEvent, 'projectId' | 'userKey'>, given: GivenEvent): KeptEvent {
    const times = { timestamp: 1_000_000n, receivedAt: 1_000_000n };
    const kept = { ...user, ...times, event: 'Ran', sessionId: null, anonymousId: null, properties: '{}', ...given };
    this.events.push(kept);
    return kept;
  }

  userEvents(query: EventsQuery): Promise<readonly StoredEvent[]> {
    if (this.unreachable) return Promise.reject(unreachableError());
    this.queries.push(query);
    const { projectId, userKey, event, since, until, after, limit } = query;
    const found = this.events
      .filter((kept) => kept.projectId === projectId && kept.userKey === userKey)
      .filter((kept) => event === undefined || kept.event === event)
      .filter(({ timestamp }) => (since ?? timestamp) <= timestamp && (until ?? timestamp + 1n) > timestamp)
      .filter((kept) => after === undefined || compareNewestFirst(after, kept) < 0);
    return Promise.resolve(found.sort(compareNewestFirst).slice(0, limit));
  }

  async ask(query: Query, limits: QueryLimits): Promise<QueryResult> {
    await this.gate;
    if (this.unreachable || (!this.hasCatalog && query.sql.includes(' AS times'))) throw unreachableError();
    const answer = this.answer(query, limits);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  askHistory(query: Query, limits: QueryLimits): Promise<QueryResult> {
    return this.ask(query, limits);
  }

  async placementOf(): Promise<Placement> {
    return { shards: 1, hasReplicas: false };
  }

  async stream(query: Query, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    await this.gate;
    if (this.unreachable) throw unreachableError();
    const answer = this.answer(query, limits);
    if (answer instanceof Error) throw answer;
    return this.#chunks();
  }

  audienceChanges(query: ChangesQuery, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    const { projectId, audienceId, after, until, limit } = query;
    const params = { projectId, audienceId, at: String(after.at), user: String(after.user), until: String(until) };
    return this.stream({ sql: '', params: { ...params, limit: String(limit) } }, limits);
  }

  finalizedAt(): Promise<Micros | null> {
    return this.unreachable ? Promise.reject(unreachableError()) : Promise.resolve(this.settled);
  }

  /** In chunks that end anywhere. */
  async *#chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (const line of this.lines) {
        if (line instanceof Error) throw line;
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        yield bytes.subarray(0, 7);
        yield bytes.subarray(7);
        await this.linesGate;
      }
    } finally {
      this.ended++;
    }
  }
}

function compareNewestFirst(a: EventCursor, b: EventCursor): number {
  if (a.timestamp !== b.timestamp) return a.timestamp > b.timestamp ? -1 : 1;
  if (a.receivedAt !== b.receivedAt) return a.receivedAt > b.receivedAt ? -1 : 1;
  // As ClickHouse orders strings: by their bytes.
  const byId = Buffer.compare(Buffer.from(b.messageId), Buffer.from(a.messageId));
  return byId !== 0 ? byId : Buffer.compare(Buffer.from(b.event), Buffer.from(a.event));
}

/** Where both readers stand, moved by hand. */
export class MemoryProgress implements Pick<LiveGenerations, 'progress'> {
  readonly #positions: Record<ReaderName, Map<string, Position>> = { projector: new Map(), sink: new Map() };
  /** How often it was asked, and how often at once. */
  calls = 0;
  mostAtOnce = 0;
  unreachable: Error | undefined;
  /** What an answer waits for, once its positions have been read. */
  gate: Promise<void> | undefined;
  #underWay = 0;

  move(reader: ReaderName | 'both', topic: string, partition: number, offset: bigint): void {
    const position = { ...beginningOf({ topic, partition }), offset, identity: 'f'.repeat(32) };
    for (const name of reader === 'both' ? (['projector', 'sink'] as const) : [reader]) {
      this.#positions[name].set(`${topic}/${partition}`, position);
    }
  }

  async progress(): Promise<{ projector: readonly Position[]; sink: readonly Position[] }> {
    this.calls += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    const { projector, sink } = this.#positions;
    const answer = { projector: [...projector.values()], sink: [...sink.values()] };
    await this.gate;
    this.#underWay -= 1;
    if (this.unreachable !== undefined) throw this.unreachable;
    return answer;
  }
}
