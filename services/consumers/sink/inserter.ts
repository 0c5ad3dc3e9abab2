import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { allSettledOrThrow } from '../../runtime/pause.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { AnalyticsWriter, Rows } from '../../stores/analytics/analytics-store.ts';
import type { ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { Unprocessable } from '../dead-letters.ts';
import { prepareFor, recordNameOf } from '../decode-batch.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import {
  bisectRejected,
  ConsecutiveTimeouts,
  expectAccepted,
  type WithRetry,
  writeOrReject,
} from '../rejected-batches.ts';
import { type ClaimedEntry, type SinkEntry, isEntry, type InsertBatch } from './batch.ts';
import { readEntries } from './read-entries.ts';
import { joinRows, RowChunks } from './row-chunks.ts';
import { rowsOfUser } from './row.ts';
import { UsersSeen } from './users-seen.ts';

export interface InserterParts {
  readonly analytics: AnalyticsWriter;
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  /** Which messages are copied now; undefined: every one. */
  readonly wanted: () => Promise<WantedMessages | undefined>;
  readonly withRetry: WithRetry;
}

/** Inserts messages, and finds those that analytics rejects, unless it rejects everything. */
export class Inserter {
  readonly #analytics: AnalyticsWriter;
  readonly #log: Pick<EventLog, 'scan'>;
  readonly #codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly #wanted: InserterParts['wanted'];
  readonly #withRetry: WithRetry;
  /** A message of each type that analytics accepted. */
  readonly #accepted = new Map<Message['type'], SinkEntry>();

  constructor({ analytics, log, codec, wanted, withRetry }: InserterParts) {
    this.#analytics = analytics;
    this.#log = log;
    this.#codec = codec;
    this.#wanted = wanted;
    this.#withRetry = withRetry;
  }

  /**
   * Inserts the messages that count. Returns those that are rejected or never finished. Retries while analytics is
   * unavailable, or rejects what it accepted before: then no message is to blame.
   */
  insert(insertBatch: InsertBatch, counted: readonly ClaimedEntry[]): Promise<readonly Unprocessable[]> {
    const timeouts = new ConsecutiveTimeouts(insertBatch.unclaimed + counted.length, false);
    return this.#withRetry('insert into analytics', () => this.#insertOnce(insertBatch, counted, timeouts));
  }

  async #insertOnce(
    insertBatch: InsertBatch,
    counted: readonly ClaimedEntry[],
    timeouts: ConsecutiveTimeouts,
  ): Promise<readonly Unprocessable[]> {
    try {
      if (await this.#hasUnwanted(insertBatch, counted)) {
        await this.#insertEntries(await this.#readAgain(insertBatch, counted));
        return [];
      }
      await allSettledOrThrow([this.#insertMessages(insertBatch, counted), this.#insertUsers(insertBatch, counted)]);
      this.#remember([...insertBatch.samples, ...counted]);
      return [];
    } catch (error) {
      if (timeouts.rejection(error) === undefined && !hasCode(error, 'STORE_REJECTED')) throw error;
      return this.#bisect(await this.#readAgain(insertBatch, counted));
    }
  }

  /** Whether a project was deleted or somebody forgotten while the insert waited: the erasure may be over. */
  async #hasUnwanted({ users, wanted: before }: InsertBatch, counted: readonly ClaimedEntry[]): Promise<boolean> {
    const wanted = await this.#wanted();
    if (wanted === undefined) return false;
    if (counted.some(({ content }) => !wanted.has(content.message))) return true;
    return wanted.forgottenSince(before).some((user) => users.some(({ seen }) => seen.has(user)));
  }

  async #insertMessages({ rows }: InsertBatch, counted: readonly ClaimedEntry[]): Promise<void> {
    await this.#analytics.insert([], joinRows([rows, await messageRows(counted)]));
  }

  /** Concurrent with the messages: folding users takes a fifth of the time that analytics takes for the messages' rows. */
  async #insertUsers({ users }: InsertBatch, counted: readonly ClaimedEntry[]): Promise<void> {
    const seen = users.map((read) => read.seen);
    await this.#analytics.insert([], await userRows(seen, counted));
  }

  /** Records that these steps are completely ingested. */
  async note(steps: readonly ReaderStep[]): Promise<void> {
    const ranges = steps.map(({ from, to }) => ({ topic: to.topic, partition: to.partition, from: from.offset, to }));
    await this.#analytics.insert(ranges, new Map());
  }

  /** Reads every entry of an insert that counts again from the log. */
  async #readAgain(
    { steps, unprocessable }: InsertBatch,
    counted: readonly ClaimedEntry[],
  ): Promise<readonly SinkEntry[]> {
    const counts = new Set(counted.map(recordNameOf));
    const left = new Set(unprocessable.map(recordNameOf));
    const ranges = steps.map(({ from, to }) => ({
      topic: to.topic,
      partition: to.partition,
      from: from.offset,
      to: to.offset,
    }));
    const wanted = await this.#wanted();
    const entries: SinkEntry[] = [];
    for await (const records of this.#log.scan(ranges)) {
      await prepareFor(this.#codec, [records]);
      await readEntries(this.#codec, [records], wanted, (read) => {
        if (!isEntry(read) || left.has(recordNameOf(read))) return;
        if (read.claim === undefined || counts.has(recordNameOf(read))) entries.push(read);
      });
    }
    return entries;
  }

  async #bisect(entries: readonly SinkEntry[]): Promise<readonly Unprocessable[]> {
    const refused = await bisectRejected<readonly SinkEntry[], Unprocessable>(entries, {
      write: (part) => this.#insertPart(part, entries),
      halvesOf: (part) => (part.length > 1 ? [part.slice(0, part.length / 2), part.slice(part.length / 2)] : undefined),
      reject: ([only], error) => {
        if (only === undefined) throw error;
        return { topic: only.topic, partition: only.partition, record: only.record, error };
      },
    });
    if (refused.length > 0) await this.#check(typesOf(entries));
    return refused;
  }

  async #insertEntries(entries: readonly SinkEntry[]): Promise<void> {
    await this.#analytics.insert([], joinRows([await messageRows(entries), await userRows([], entries)]));
  }

  /** Even the first part is part of a rejected insert: the whole was tried before. */
  async #insertPart(part: readonly SinkEntry[], all: readonly SinkEntry[]): Promise<void> {
    await writeOrReject({
      what: 'insert into analytics',
      withRetry: this.#withRetry,
      messages: part.length,
      isPart: true,
      write: () => this.#insertEntries(part),
      checkStore: async (reason) => {
        if (reason === 'timed out') await this.#checkInTime(part, all);
      },
    });
    this.#remember(part);
  }

  /**
   * Checks that analytics accepts in time what it accepted before. If that includes nothing of a single message's type,
   * the message is to blame only if another one of its type, of those to be inserted, is accepted.
   */
  async #checkInTime(part: readonly SinkEntry[], all: readonly SinkEntry[]): Promise<void> {
    const [only, another] = part;
    const type = only?.content.message.type;
    if (type !== undefined && another === undefined && !this.#accepted.has(type)) {
      const other = all.findLast((one) => one !== only && one.content.message.type === type);
      if (other === undefined) throw new TidemarkError('STORE_TIMEOUT', `analytics has not taken any ${type} yet`);
      await this.#insertEntries([other]);
      this.#remember([other]);
    }
    await this.#check(typesOf(part));
  }

  async #check(types: ReadonlySet<Message['type']>): Promise<void> {
    const known = [...types].flatMap((type) => this.#accepted.get(type) ?? []);
    await expectAccepted('analytics refuses rows that it took before', async () => {
      for (const entry of known) await this.#insertEntries([entry]);
    });
  }

  #remember(entries: readonly SinkEntry[]): void {
    for (const entry of entries) {
      const { message, rows } = entry.content;
      const { type } = message;
      if (rows.length > 0 && !this.#accepted.has(type)) this.#accepted.set(type, entry);
    }
  }
}

function typesOf(entries: readonly SinkEntry[]): ReadonlySet<Message['type']> {
  return new Set(entries.map(({ content }) => content.message.type));
}

/** Yields to the event loop every 2 ms. */
async function messageRows(entries: readonly SinkEntry[]): Promise<Rows> {
  const yielder = new EventLoopYielder();
  const chunks = new RowChunks();
  for (const { content } of entries) {
    if (yielder.isOver()) await yielder.next();
    chunks.addAll(content.rows);
  }
  return chunks.rows();
}

/** The rows of the users seen and of the users of these messages. Yields to the event loop every 2 ms. */
async function userRows(seen: readonly UsersSeen[], entries: readonly SinkEntry[]): Promise<Rows> {
  const yielder = new EventLoopYielder();
  const chunks = new RowChunks();
  const users = await UsersSeen.merge(seen);
  for (const { content } of entries) {
    if (yielder.isOver()) await yielder.next();
    users.see(content.message);
  }
  for (const user of users.users()) {
    if (yielder.isOver()) await yielder.next();
    chunks.addAll(rowsOfUser(user));
  }
  return chunks.rows();
}
