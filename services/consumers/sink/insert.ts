import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { allSettledOrThrow } from '../../runtime/all-settled-or-throw.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { AnalyticsWriter, Rows } from '../../stores/analytics/analytics-store.ts';
import type { ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { Unprocessable } from '../dead-letters.ts';
import { prepareFor } from '../decode-batch.ts';
import { Timeouts } from '../timeouts.ts';
import { type ClaimedEntry, type Entry, isEntry, type Portion } from './batch.ts';
import { readEntries } from './read-entries.ts';
import { joinRows, RowChunks } from './row-chunks.ts';
import { UsersSeen } from './users-seen.ts';

export interface InserterParts {
  readonly analytics: AnalyticsWriter;
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  /** Whose messages alone are copied; undefined: everybody's. */
  readonly projectId: string | undefined;
  /** Repeats what is passing. */
  readonly withRetry: <T>(what: string, call: () => Promise<T>) => Promise<T>;
}

/** Inserts messages, and tells those that analytics refuses for themselves from an analytics that refuses everything. */
export class Inserter {
  readonly #analytics: AnalyticsWriter;
  readonly #log: Pick<EventLog, 'scan'>;
  readonly #codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly #projectId: string | undefined;
  readonly #withRetry: InserterParts['withRetry'];
  /** Of each type a message that analytics took. */
  readonly #taken = new Map<Message['type'], Entry>();

  constructor({ analytics, log, codec, projectId, withRetry }: InserterParts) {
    this.#analytics = analytics;
    this.#log = log;
    this.#codec = codec;
    this.#projectId = projectId;
    this.#withRetry = withRetry;
  }

  /**
   * Inserts what counts and returns what is refused, or never finished. It waits while analytics is away, and where
   * analytics refuses what it took before: the fault is not the messages'.
   */
  insert(portion: Portion, counted: readonly ClaimedEntry[]): Promise<readonly Unprocessable[]> {
    const timeouts = new Timeouts(portion.unclaimed + counted.length, false);
    return this.#withRetry('insert into analytics', () => this.#insertOnce(portion, counted, timeouts));
  }

  async #insertOnce(
    portion: Portion,
    counted: readonly ClaimedEntry[],
    timeouts: Timeouts,
  ): Promise<readonly Unprocessable[]> {
    try {
      await allSettledOrThrow([this.#insertMessages(portion, counted), this.#insertUsers(portion, counted)]);
      this.#remember([...portion.samples, ...counted]);
      return [];
    } catch (error) {
      if (timeouts.rejection(error) === undefined && !hasCode(error, 'STORE_REJECTED')) throw error;
      return this.#insertOneByOne(await this.#readAgain(portion, counted));
    }
  }

  async #insertMessages({ rows }: Portion, counted: readonly ClaimedEntry[]): Promise<void> {
    await this.#analytics.insert([], joinRows([rows, await messageRows(counted)]));
  }

  /** Beside their messages: folding them takes a fifth as long as analytics takes for the messages' rows. */
  async #insertUsers({ seen }: Portion, counted: readonly ClaimedEntry[]): Promise<void> {
    await this.#analytics.insert([], await userRows(seen, counted));
  }

  /** Notes that analytics holds these steps whole. */
  async note(steps: readonly ReaderStep[]): Promise<void> {
    const ranges = steps.map(({ from, to }) => ({ topic: to.topic, partition: to.partition, from: from.offset, to }));
    await this.#analytics.insert(ranges, new Map());
  }

  /** Every entry of a portion that counts, from the log. */
  async #readAgain({ steps }: Portion, counted: readonly ClaimedEntry[]): Promise<readonly Entry[]> {
    const counts = new Set(counted.map(placeOf));
    const ranges = steps.map(({ from, to }) => ({
      topic: to.topic,
      partition: to.partition,
      from: from.offset,
      to: to.offset,
    }));
    const entries: Entry[] = [];
    for await (const records of this.#log.scan(ranges)) {
      await prepareFor(this.#codec, [records]);
      await readEntries(this.#codec, [records], this.#projectId, (read) => {
        if (!isEntry(read)) return;
        if (read.claim === undefined || counts.has(placeOf(read))) entries.push(read);
      });
    }
    return entries;
  }

  async #insertOneByOne(entries: readonly Entry[]): Promise<readonly Unprocessable[]> {
    const refused = await insertUnlessRefused(entries, (some) => this.#insertPart(some, entries));
    if (refused.length > 0) await this.#check(typesOf(entries));
    return refused;
  }

  async #insertEntries(entries: readonly Entry[]): Promise<void> {
    await this.#analytics.insert([], joinRows([await messageRows(entries), await userRows([], entries)]));
  }

  /** @throws TidemarkError `STORE_REJECTED` also where it times out and analytics is not to blame. */
  async #insertPart(part: readonly Entry[], all: readonly Entry[]): Promise<void> {
    const timeouts = new Timeouts(part.length, true);
    await this.#withRetry('insert into analytics', async () => {
      try {
        await this.#insertEntries(part);
      } catch (error) {
        const rejection = timeouts.rejection(error);
        if (rejection !== undefined) await this.#checkInTime(part, all);
        throw rejection ?? error;
      }
    });
    this.#remember(part);
  }

  /**
   * Makes sure that analytics takes in time what it took before. A message by itself is not to blame where that is nothing
   * of its type: then another of those that are to be inserted must be taken.
   */
  async #checkInTime(part: readonly Entry[], all: readonly Entry[]): Promise<void> {
    const [only, another] = part;
    const type = only?.content.message.type;
    if (type !== undefined && another === undefined && !this.#taken.has(type)) {
      const other = all.findLast((one) => one !== only && one.content.message.type === type);
      if (other === undefined) throw new TidemarkError('STORE_TIMEOUT', `analytics has not taken any ${type} yet`);
      await this.#insertEntries([other]);
      this.#remember([other]);
    }
    await this.#check(typesOf(part));
  }

  async #check(types: ReadonlySet<Message['type']>): Promise<void> {
    const known = [...types].flatMap((type) => this.#taken.get(type) ?? []);
    try {
      for (const entry of known) await this.#insertEntries([entry]);
    } catch (cause) {
      if (!hasCode(cause, 'STORE_REJECTED')) throw cause;
      throw new TidemarkError('STORE_UNAVAILABLE', 'analytics refuses rows that it took before', { cause });
    }
  }

  #remember(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { type } = entry.content.message;
      if (!this.#taken.has(type)) this.#taken.set(type, entry);
    }
  }
}

function typesOf(entries: readonly Entry[]): ReadonlySet<Message['type']> {
  return new Set(entries.map(({ content }) => content.message.type));
}

function placeOf({ topic, partition, record }: Entry): string {
  return `${topic}/${partition}@${record.offset}`;
}

/** Lets go of the thread every 2 ms. */
async function messageRows(entries: readonly Entry[]): Promise<Rows> {
  const turns = new EventLoopYielder();
  const chunks = new RowChunks();
  for (const { content } of entries) {
    if (turns.isOver()) await turns.next();
    chunks.addAll(content.rows);
  }
  return chunks.rows();
}

/** Of those who were seen and of those whom these messages name. Lets go of the thread every 2 ms. */
async function userRows(seen: readonly UsersSeen[], entries: readonly Entry[]): Promise<Rows> {
  const turns = new EventLoopYielder();
  const chunks = new RowChunks();
  const users = await UsersSeen.merge(seen);
  for (const { content } of entries) {
    if (turns.isOver()) await turns.next();
    users.see(content.message, content.user);
  }
  for (const row of users.rows()) {
    if (turns.isOver()) await turns.next();
    chunks.add(row);
  }
  return chunks.rows();
}

/** Inserts entries, any number of times. */
type Insert = (entries: readonly Entry[]) => Promise<void>;

/**
 * Inserts all entries but those that the store refuses whatever one does, which it returns: found by halving, so that a
 * few in 50,000 cost some 30 inserts.
 *
 * @throws whatever else `insert` throws.
 */
export async function insertUnlessRefused(
  entries: readonly Entry[],
  insert: Insert,
): Promise<readonly Unprocessable[]> {
  try {
    await insert(entries);
    return [];
  } catch (error) {
    if (!hasCode(error, 'STORE_REJECTED')) throw error;
    const [only, another] = entries;
    if (only === undefined) throw error;
    if (another === undefined) return [{ topic: only.topic, partition: only.partition, record: only.record, error }];
    const middle = entries.length / 2;
    const refused = await insertUnlessRefused(entries.slice(0, middle), insert);
    return [...refused, ...(await insertUnlessRefused(entries.slice(middle), insert))];
  }
}
