import type { AnalyticsWriter, Rows } from '../analytics/analytics-store.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import type { Step } from '../profiles/profile-store.ts';
import type { Poison } from '../readers/dead-letters.ts';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { Turns } from '../runtime/turns.ts';
import type { ClaimedEntry, Entry, Portion } from './batch.ts';
import { readEntries } from './read-entries.ts';
import { insertUnlessRefused } from './refused.ts';
import { joinRows, RowChunks } from './row-chunks.ts';
import { UsersSeen } from './users-seen.ts';

export interface InserterParts {
  readonly analytics: AnalyticsWriter;
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  /** Whose messages alone are copied; undefined: everybody's. */
  readonly projectId: string | undefined;
}

/** Inserts messages, and tells those that analytics refuses for themselves from an analytics that refuses everything. */
export class Inserter {
  readonly #analytics: AnalyticsWriter;
  readonly #log: Pick<EventLog, 'scan'>;
  readonly #codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly #projectId: string | undefined;
  /** Of each type a message that analytics took. */
  readonly #taken = new Map<Message['type'], Entry>();

  constructor({ analytics, log, codec, projectId }: InserterParts) {
    this.#analytics = analytics;
    this.#log = log;
    this.#codec = codec;
    this.#projectId = projectId;
  }

  /**
   * Inserts what counts and returns what is refused. May be repeated.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, also where analytics refuses what it took before: the fault is
   *   not the messages'.
   */
  async insert(portion: Portion, counted: readonly ClaimedEntry[]): Promise<readonly Poison[]> {
    try {
      await this.#analytics.insert([], await rowsToInsert(portion, counted));
      this.#remember(portion, counted);
      return [];
    } catch (error) {
      if (!hasCode(error, 'STORE_REJECTED')) throw error;
      return this.#insertOneByOne(await this.#readAgain(portion, counted));
    }
  }

  /** Notes that analytics holds these steps whole. */
  async note(steps: readonly Step[]): Promise<void> {
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
      for (const read of await readEntries(this.#codec, [records], this.#projectId)) {
        if ('rows' in read && (read.claim === undefined || counts.has(placeOf(read)))) entries.push(read);
      }
    }
    return entries;
  }

  async #insertOneByOne(entries: readonly Entry[]): Promise<readonly Poison[]> {
    const refused = await insertUnlessRefused(entries, (some) => this.#analytics.insert([], rowsOfEntries(some)));
    if (refused.length > 0) await this.#check(new Set(entries.map(({ content }) => content.type)));
    return refused;
  }

  async #check(types: ReadonlySet<Message['type']>): Promise<void> {
    const known = [...types].flatMap((type) => this.#taken.get(type) ?? []);
    try {
      for (const entry of known) await this.#analytics.insert([], rowsOfEntries([entry]));
    } catch (cause) {
      if (!hasCode(cause, 'STORE_REJECTED')) throw cause;
      throw new TidemarkError('STORE_UNAVAILABLE', 'analytics refuses rows that it took before', { cause });
    }
  }

  #remember({ samples }: Portion, counted: readonly ClaimedEntry[]): void {
    for (const entry of [...samples, ...counted])
      if (!this.#taken.has(entry.content.type)) this.#taken.set(entry.content.type, entry);
  }
}

function placeOf({ topic, partition, record }: Entry): string {
  return `${topic}/${partition}@${record.offset}`;
}

/** Lets go of the thread every 2 ms. */
async function rowsToInsert({ rows, seen }: Portion, counted: readonly ClaimedEntry[]): Promise<Rows> {
  const turns = new Turns();
  const chunks = new RowChunks();
  const users = await UsersSeen.merge(seen);
  for (const entry of counted) {
    if (turns.isOver()) await turns.next();
    chunks.addAll(entry.rows);
    users.see(entry.content);
  }
  for (const row of users.rows()) {
    if (turns.isOver()) await turns.next();
    chunks.add(row);
  }
  return joinRows([rows, chunks.rows()]);
}

function rowsOfEntries(entries: readonly Entry[]): Rows {
  const chunks = new RowChunks();
  const users = new UsersSeen();
  for (const { rows, content } of entries) {
    chunks.addAll(rows);
    users.see(content);
  }
  chunks.addAll(users.rows());
  return chunks.rows();
}
