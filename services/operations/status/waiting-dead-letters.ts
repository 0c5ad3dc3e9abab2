/** Which dead letters wait. */
import type { EventLog, ScanRange } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { formatCoordinates, type RecordCoordinates } from '../dead-letters/record-coordinates.ts';
import { messageIn } from '../dead-letters/read-dead-letters.ts';
import { errorCodeOf } from '../dead-letters/selection.ts';
import type { Codec } from '../../messages/codec.ts';
import type { DeadLetter, WaitingLetter } from '../../messages/dead-letter.ts';
import { DEAD_LETTER_TOPIC, type Message } from '../../messages/message.ts';
import { hasCode, isRetryable } from '../../runtime/errors.ts';
import { isLeftOut } from '../../stores/erasures/left-out.ts';
import type { SqlStoreFigures } from './store-figures.ts';

export interface WaitingDeadLettersParts {
  readonly log: Pick<EventLog, 'ends' | 'beginnings' | 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode' | 'decodeDeadLetter'>;
  readonly figures: Pick<SqlStoreFigures, 'settled' | 'leftOut'>;
}

export interface DeadLetterCounts {
  /** Messages, however many readers could not process one. */
  readonly messages: number;
  readonly byReader: Readonly<Record<string, number>>;
  /** Whether all were counted; else the counts are a lower bound. */
  readonly isWhole: boolean;
}

/** What one look found. */
export interface FoundWaiting {
  readonly letters: readonly WaitingLetter[];
  /** Whether it has read to the end; else the next look goes on. */
  readonly isRead: boolean;
  /** Whether no others wait. */
  readonly isWhole: boolean;
}

// A dead letter has half a megabyte at most. A piece is what is read at a time.
const LETTERS_A_PIECE = { maxRecords: 200, maxBytes: 1_000_000 } as const;
const RECORDS_A_LOOK = 2_000;
/** The most that are remembered; where more wait, the counts are a lower bound. */
const MAX_REMEMBERED = 10_000;
const MAX_ERROR_CHARS = 500;

type MessageOrigin = Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>;

/** A message of dead letters, and who could not process it. */
interface Waiting {
  readonly message: RecordCoordinates;
  readonly readers: Set<string>;
  /** Whose the message is; undefined if it cannot be decoded. */
  readonly origin: MessageOrigin | undefined;
  readonly letter: WaitingLetter;
}

/**
 * Reads only what was added since the last look, and remembers what waited then. After a start it takes several looks
 * where there are more than 2,000.
 */
export class WaitingDeadLetters {
  readonly #parts: WaitingDeadLettersParts;
  readonly #next = new Map<string, bigint>();
  /** By the coordinates of the message. */
  readonly #waiting = new Map<string, Waiting>();
  #isOverfull = false;
  readonly #most: number;

  /** @param most For tests. */
  constructor(parts: WaitingDeadLettersParts, most = MAX_REMEMBERED) {
    this.#parts = parts;
    this.#most = most;
  }

  /** Not to be called again before it has resolved. @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
  async count(signal: AbortSignal): Promise<DeadLetterCounts> {
    const { isWhole } = await this.look(signal);
    const byReader: Record<string, number> = {};
    for (const { readers } of this.#waiting.values()) {
      for (const reader of readers) byReader[reader] = (byReader[reader] ?? 0) + 1;
    }
    return { messages: this.#waiting.size, byReader, isWhole };
  }

  /** As `count`. */
  async look(signal: AbortSignal): Promise<FoundWaiting> {
    const isRead = await this.#readOn(signal);
    const wasOverfull = this.#isOverfull;
    const { figures } = this.#parts;
    const messages = [...this.#waiting.values()].map(({ message }) => message);
    for (const settled of await figures.settled(messages)) this.#waiting.delete(settled);
    const left = await figures.leftOut();
    for (const [name, { origin }] of this.#waiting) {
      if (origin !== undefined && isLeftOut(left, origin)) this.#waiting.delete(name);
    }
    if (this.#isOverfull && this.#waiting.size <= this.#most / 2) this.#readAgain();
    const letters = [...this.#waiting.values()].map(({ letter }) => letter);
    return { letters, isRead, isWhole: isRead && !wasOverfull };
  }

  /** There is room for those that were passed over. Looks until the end is read are not whole. */
  #readAgain(): void {
    this.#next.clear();
    this.#isOverfull = false;
  }

  /** Whether it has read to the end. */
  async #readOn(signal: AbortSignal): Promise<boolean> {
    const { log, codec } = this.#parts;
    const ranges = await this.#unread();
    let records = 0;
    if (ranges.length === 0) return true;
    for await (const piece of log.scan(ranges, { ...LETTERS_A_PIECE, signal })) {
      await codec.prepare(piece.records.map(({ value }) => value));
      for (const { offset, value, appendedAtMs } of piece.records) {
        await this.#add(value, appendedAtMs);
        this.#next.set(nameOf(piece), offset + 1n);
      }
      records += piece.records.length;
      if (records >= RECORDS_A_LOOK) return false;
    }
    return true;
  }

  async #unread(): Promise<ScanRange[]> {
    const { log } = this.#parts;
    const [beginnings, ends] = await Promise.all([log.beginnings([DEAD_LETTER_TOPIC]), log.ends([DEAD_LETTER_TOPIC])]);
    return beginnings.flatMap(({ topic, partition, offset }) => {
      const next = this.#next.get(nameOf({ topic, partition })) ?? offset;
      const from = next > offset ? next : offset;
      const to = ends.find((end) => end.partition === partition)?.offset ?? from;
      return from < to ? [{ topic, partition, from, to }] : [];
    });
  }

  async #add(value: Uint8Array, appendedAtMs: number): Promise<void> {
    try {
      const letter = this.#parts.codec.decodeDeadLetter(value);
      const { reader, topic, partition, offset } = letter;
      const message = { topic, partition, offset };
      const name = formatCoordinates(message);
      const found = this.#waiting.get(name);
      if (found !== undefined) found.readers.add(reader);
      else if (this.#waiting.size < this.#most) {
        const origin = await this.#originOf(letter);
        const projectId = origin?.projectId ?? null;
        const { error, failedAt } = letter;
        const code = errorCodeOf(letter) ?? null;
        const reason = { code, error: error.slice(0, MAX_ERROR_CHARS), reader, failedAt, appendedAtMs };
        const first = { id: name, topic, projectId, ...reason };
        this.#waiting.set(name, { message, readers: new Set([reader]), origin, letter: first });
      } else this.#isOverfull = true;
    } catch (error) {
      // Whatever it is, no reader wrote it.
      if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    }
  }

  /** An unreachable registry is no reason not to count. */
  async #originOf(letter: DeadLetter): Promise<MessageOrigin | undefined> {
    const { codec } = this.#parts;
    try {
      await codec.prepare([letter.value]);
      const message = messageIn(codec, letter);
      if (message === undefined) return undefined;
      const { projectId, userKey, receivedAt } = message;
      return { projectId, userKey, receivedAt };
    } catch (error) {
      if (isRetryable(error)) return undefined;
      throw error;
    }
  }
}
