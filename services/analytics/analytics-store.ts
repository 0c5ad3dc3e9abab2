import type { TopicPartition } from '../event-log/event-log.ts';
import type { Micros } from '../messages/message.ts';

/** Rows of one insert by table, each row one line of JSON (`JSONEachRow`) made by sink/row.ts. */
export type Rows = ReadonlyMap<RowTable, readonly string[]>;

/** The tables that the sink writes, in the order in which they are inserted. */
export const ROW_TABLES = ['event_rows', 'session_rows', 'trait_rows', 'user_rows'] as const;
export type RowTable = (typeof ROW_TABLES)[number];

/** A range of one partition, offsets `from` (inclusive) to `to` (exclusive). */
export interface OffsetRange extends TopicPartition {
  readonly from: bigint;
  readonly to: bigint;
}

/** What the sink writes to. */
export interface AnalyticsWriter {
  /**
   * Inserts all rows of these ranges, then notes the ranges as held. Resolves when they would survive a crash.
   * Inserting the same ranges again, with the same rows, changes no answer.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable; `STORE_REJECTED` where a row is refused whatever one does.
   */
  insert(ranges: readonly OffsetRange[], rows: Rows): Promise<void>;
  /** Up to which offset (exclusive), without a hole from the first, each partition is held; 0 where nothing is. */
  heldUpTo(partitions: readonly TopicPartition[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]>;
}

/** One page of a user's events, newest first by (timestamp, messageId). */
export interface EventsQuery {
  readonly projectId: string;
  readonly userKey: string;
  /** Only events of this name. */
  readonly event?: string;
  readonly limit: number;
  /** Only what comes after this one in the order of the page. */
  readonly after?: { readonly timestamp: Micros; readonly messageId: string };
}

export interface StoredEvent {
  readonly messageId: string;
  readonly event: string;
  readonly timestamp: Micros;
  readonly receivedAt: Micros;
  readonly sessionId: string | null;
  /** JSON text as it was sent. */
  readonly properties: string;
}

/** A parameterised query: `{name:Type}` in `sql`, nothing of a caller's in it. */
export interface Query {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface QueryLimits {
  readonly maxMs: number;
  readonly maxMemoryBytes: number;
  readonly maxRowsRead: number;
}

export interface QueryResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** What others may ask of analytics. Arguments and results can be cloned between threads. */
export interface AnalyticsReader {
  /** Each message once; the first copy of a repeat. */
  userEvents(query: EventsQuery): Promise<readonly StoredEvent[]>;
  /**
   * Runs a SELECT; 64-bit and wider integers come back as strings.
   *
   * @throws TidemarkError `QUERY_LIMIT` past a limit, naming it; `STORE_UNAVAILABLE`, retryable.
   */
  ask(query: Query, limits: QueryLimits): Promise<QueryResult>;
}

export interface AnalyticsStore extends AnalyticsWriter, AnalyticsReader {
  /** Resolves when it can answer now. @throws TidemarkError `STORE_UNAVAILABLE`. */
  check(): Promise<void>;
  /** Ends queries under way, waits for inserts, then closes. Idempotent. */
  close(): Promise<void>;
}
