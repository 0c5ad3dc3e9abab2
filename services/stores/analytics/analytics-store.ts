import type { Position, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import type { Micros, Track } from '../../messages/message.ts';
import type { RowTable } from './columns.ts';
import type { ConcernedUser, JoinsQuestion } from './joins.ts';
import type { LiveEpoch, LiveHistory } from './live-history.ts';
import type { ProjectUser } from './of-user.ts';
import type { Placement, Shard } from './placement.ts';

/** Rows of one insert by table: chunks of whole rows, each the values of the table's `TABLE_COLUMNS` as `RowBinary` writes them. */
export type Rows = ReadonlyMap<RowTable, readonly Uint8Array[]>;

/** A range of one partition: from this offset (inclusive) to this position, whose offset is exclusive. */
export interface IngestedRange extends TopicPartition {
  readonly from: bigint;
  readonly to: Position;
}

/** What the sink writes to. */
export interface AnalyticsWriter {
  /**
   * Inserts all rows of these ranges, then records the ranges as ingested. Resolves when they would survive a crash; if it
   * rejects, some of the rows may be there. Inserting the same ranges again, with the same rows, changes no answer.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` and `STORE_TIMEOUT`, retryable; `STORE_REJECTED` where a row is refused
   *   permanently; `STOPPING`.
   */
  insert(ranges: readonly IngestedRange[], rows: Rows): Promise<void>;
  /**
   * Keeps whose these anonymous ids are, and those that they push out from among the first of a user. May be repeated. Does
   * nothing on several shards, where ids are not joined.
   *
   * @param number Taken after every sighting that is to be seen was inserted: the highest says whose an id is.
   * @returns The users whom that may concern.
   * @throws TidemarkError as `insert`.
   */
  keepJoins(question: JoinsQuestion, number: bigint): Promise<readonly ConcernedUser[]>;
  /** Up to where each partition is ingested without a gap from offset 0, in the order given; its beginning if nothing is. */
  ingestedUpTo(partitions: readonly TopicPartition[]): Promise<readonly Position[]>;
  /**
   * Writes down in one row what `ingestedUpTo` reads from many, so that it stays as quick after years as after a day; for
   * once in a while. Changes no answer.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable; `STORE_REJECTED`; `STOPPING`.
   */
  compactIngested(): Promise<void>;
}

/** One page of a user's events, newest first by (timestamp, receivedAt, messageId, event). */
export interface EventsQuery extends ProjectUser {
  /** Only events of this name. */
  readonly event?: string;
  /** Only events at or after this time, and before that one. */
  readonly since?: Micros;
  readonly until?: Micros;
  readonly limit: number;
  /** Only what comes after this one in the order of the page. */
  readonly after?: EventCursor;
}

/** A position in a user's events. */
export type EventCursor = Pick<StoredEvent, 'timestamp' | 'receivedAt' | 'messageId' | 'event'>;

type NotRead = 'type' | 'projectId' | 'userKey' | 'userId' | 'version' | 'source' | 'messageIdGiven';

/** A track as it is read: without whose it is and how it came. */
export type StoredEvent = Omit<Track, NotRead | 'originalTimestamp' | 'adjusted'>;

/** A parameterised query: `{name:Type}` in `sql`, nothing of a caller's in it. */
export interface Query {
  /** Whose messages alone it is about: answered by the generation that is live for them. Left out: for everybody's. */
  readonly projectId?: string;
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** It reads by keys and takes some milliseconds: it waits for no question, however long that takes. */
  readonly isLookUp?: boolean;
  /** A look-up that is about rows of these users alone: nobody else is asked than the shard that has them. */
  readonly shard?: Shard;
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
  /** Uncompressed. */
  readonly bytesRead: number;
}

/** What others may ask of analytics. Arguments and results can be cloned between threads. */
export interface AnalyticsReader {
  /** Events without copies: the first by user, event, message id and UTC day of `timestamp`. */
  userEvents(query: EventsQuery): Promise<readonly StoredEvent[]>;
  /**
   * Runs a SELECT; 64-bit and wider integers come back as strings.
   *
   * @throws TidemarkError `QUERY_LIMIT` past a limit, naming it; `STORE_REJECTED` where the query is wrong;
   *   `TOO_MANY_QUESTIONS`, `STORE_UNAVAILABLE` and `STOPPING`, retryable.
   */
  ask(query: Query, limits: QueryLimits): Promise<QueryResult>;
  /**
   * Runs a SELECT of any number of rows; resolves once the first have come, or there are none. Chunks of JSON, a line
   * each row (a chunk may end within one), each made when it is asked for and the one after it. `maxMs` is for the first
   * rows; all of them may take `STREAM_MS_PER_MS` times as long, and no chunk may be waited for longer than a minute.
   *
   * @throws TidemarkError as `ask`; while it is read, too.
   */
  stream(query: Query, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>>;
  /** As `ask`, of the history of audiences, which the first generation alone has. */
  askHistory(query: Query, limits: QueryLimits): Promise<QueryResult>;
  /** Where the generation that answers has the rows of users. A `Query.shard` by another placement counts as left out. */
  placementOf(of: Pick<Query, 'projectId'>): Promise<Placement>;
  /** Users who entered and left a kept audience, in the order of (evaluation, user), as `stream` gives rows. */
  audienceChanges(query: ChangesQuery, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>>;
  /** The newest evaluation of a kept audience that `audienceChanges` shows. */
  finalizedAt(projectId: string, audienceId: string): Promise<Micros | null>;
}

/** Why the members of an evaluation may differ from those of the one before; `live`: by messages or by time, one by one. */
export type EvaluationCause = 'first' | 'definition' | 'refresh' | 'live';

/** One evaluation of a saved audience. */
export interface Evaluation {
  readonly projectId: string;
  readonly audienceId: string;
  /** When it was evaluated, which names it: of two evaluations of one audience the later has the higher. */
  readonly at: Micros;
  /** The definition's. */
  readonly version: number;
  readonly cause: EvaluationCause;
}

export interface Difference {
  readonly entered: number;
  readonly left: number;
  /** After it. */
  readonly members: number;
}

/** Changes after a point of the history. */
export interface ChangesQuery {
  readonly projectId: string;
  readonly audienceId: string;
  /** The epochs whose changes count, besides those of finalized evaluations. */
  readonly epochs: readonly LiveEpoch[];
  /** Only what comes after this evaluation, or after this user within it. */
  readonly after: { readonly at: Micros; readonly user: bigint };
  /** No later evaluation than this. */
  readonly until: Micros;
  readonly limit: number | null;
}

/**
 * What became of the members of saved audiences. Not in the log: it cannot be made again. One evaluation is written in
 * two steps, so that a crash leaves nothing half written:
 *
 * 1. `difference` writes who entered and left since the last evaluation that was finalized. Nobody sees it yet. Whoever
 *    fails here tries again under a later `at`.
 * 2. The caller notes durably that this evaluation counts. Then `finalize` shows it, and may be repeated until it succeeds:
 *    before the next `difference` of the same audience.
 */
export interface AudienceHistory {
  /**
   * @param members A SELECT of `user`, `user_id`, `anonymous_id`, `internal_id` and the boolean `is_in`, a row for every user.
   * @throws TidemarkError as `AnalyticsReader.ask`.
   */
  difference(evaluation: Evaluation, members: Query, limits: QueryLimits): Promise<Difference>;
  /** @throws TidemarkError `STORE_UNAVAILABLE`, `STOPPING`. */
  finalize(evaluation: Evaluation): Promise<void>;
  /** The newest evaluation that is finalized, as `AnalyticsReader` has it. */
  finalizedAt(projectId: string, audienceId: string): Promise<Micros | null>;
  /** Deletes all that is known of an audience's members, soon after it resolves. May be repeated. */
  forgetAudience(projectId: string, audienceId: string): Promise<void>;
}

/** The tables of the history that are kept elsewhere; who is a member follows from them. In the order in which they are read. */
export const HISTORY_TABLES = ['audience_evaluations', 'audience_changes'] as const;
export type HistoryTable = (typeof HISTORY_TABLES)[number];

/** The history of all audiences, to be kept elsewhere and brought back. */
export interface KeptHistory {
  /**
   * Every row of a table, as `AnalyticsReader.stream` gives rows. Where evaluations go on, changes that were read after the
   * evaluations have all that those tell of.
   */
  rows(table: HistoryTable): Promise<AsyncIterable<Uint8Array>>;
  /** Deletes the history of all audiences. */
  clear(): Promise<void>;
  /** Inserts rows as `rows` gave them: whole lines. */
  insert(table: HistoryTable, lines: Uint8Array): Promise<void>;
  /**
   * Makes the members of all audiences from the history that is there. To be called once, when there are none.
   *
   * @param epochs Up to when live changes count.
   */
  deriveMembers(epochs: readonly LiveEpoch[]): Promise<void>;
}

/** By how much longer than its first rows all rows of a stream may take. */
export const STREAM_MS_PER_MS = 30;

/** Which generation answers for everybody, and for the projects that have one of their own. */
export interface LiveNumbers {
  readonly all: number;
  readonly own: ReadonlyMap<string, number>;
}

/** Messages that a generation takes from another. */
export interface CopiedMessages {
  /** Places of the log. */
  readonly ranges: readonly ScanRange[];
  /** The only project whose rows are copied; null for all. */
  readonly projectId: string | null;
  readonly signal: AbortSignal;
  readonly onCopied: (messages: number) => void;
}

/**
 * The generations of analytics: the first is the database that was opened, each later one a database beside it, with the
 * same tables. See `services/generations`.
 */
export interface AnalyticsGenerations {
  /**
   * A generation that was made before, its tables up to date; the same object each time. Closed with the whole.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` also where there is no such generation.
   */
  ofGeneration(number: number): Promise<AnalyticsStore>;
  /** Makes the database of a generation, where it is absent. Not for the first. */
  makeGeneration(number: number): Promise<void>;
  /** Deletes what a generation holds: its database; of the first, which is the one that was opened, all rows. */
  dropGeneration(number: number): Promise<void>;
  /**
   * Copies the rows of messages at these places of the log, and the values that traits had. May be repeated.
   *
   * @throws TidemarkError as `insert`; the reason of the signal.
   */
  copyMessages(from: number, to: number, copied: CopiedMessages): Promise<void>;
  /** The name of a generation's database, as SQL takes it: for questions over two of them. */
  databaseOf(number: number): Promise<string>;
  /** Makes the plain views of the database that was opened show these generations. May be repeated. */
  showGenerations(live: LiveNumbers): Promise<void>;
}

/** A project, or some users by internal id, or (`events`) some events of theirs, or its events before an instant of their own time. */
export interface Whose {
  readonly projectId: string;
  readonly users?: readonly string[];
  readonly events?: ReadonlyMap<string, readonly string[]>;
  readonly eventsBefore?: Micros;
}

export interface ForgettingOptions {
  readonly signal: AbortSignal;
  /** Whether it resolves only when the rows are gone from the disk: true by default. */
  readonly waits?: boolean;
  /** Called again and again while it waits: with the reason where the deletion stands still. */
  readonly onWait?: (reason: string | undefined) => void;
}

/** Rows of one table, copies of one message included. */
export interface ForgottenRows {
  readonly table: string;
  /** The internal id of the user; null where users are not told apart. */
  readonly user: string | null;
  readonly rows: number;
  /** About how many bytes of the disk they take; known of events alone. */
  readonly bytes?: number;
}

export interface AnalyticsStore extends AnalyticsWriter, AnalyticsReader, AnalyticsGenerations, AudienceHistory {
  /** The first generation alone has it. */
  readonly liveHistory: LiveHistory;
  keptHistory(): KeptHistory;
  /** Reads rows as `insert` does, and leaves everything as it was: resolves where they would be taken now. @throws as `insert`. */
  tryInsert(rows: Rows): Promise<void>;
  /**
   * Deletes every row of a project, of some of its users or of its old events, and resolves with those that could be seen before. No question
   * sees them once their deletion is begun. May be repeated, and then continues what was begun.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`; the reason of the signal.
   */
  forget(whose: Whose, options: ForgettingOptions): Promise<readonly ForgottenRows[]>;
  /**
   * Removes the files that had rows before those were deleted, in every generation. Left out where a server has the files.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`; the reason of the signal.
   */
  readonly dropOldFiles?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** What `forget` would delete. @throws TidemarkError `STORE_UNAVAILABLE`. */
  countOf(whose: Whose): Promise<readonly ForgottenRows[]>;
  /** Resolves when it can answer now. @throws TidemarkError `STORE_UNAVAILABLE`. */
  check(): Promise<void>;
  /** Ends queries under way, waits for inserts, then closes. Idempotent. */
  close(): Promise<void>;
}
