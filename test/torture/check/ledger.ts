/** What was sent, and what became of it: 34 bytes a message, so that hours of load fit in memory. */
import { canonical, fingerprint } from './canonical.ts';

/** What a message must look like on the log. */
export interface Expected {
  readonly kind: 'identify' | 'track' | 'session';
  readonly projectId: string;
  readonly userKey: string;
  /** Null: the door cannot know it (add-event). */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly source: string;
  readonly event: string | null;
  /** The session of add-event. */
  readonly sessionId: string | null;
  readonly anonymous: boolean | null;
  /** JSON text of traits or properties, `n` among them: the number that the ledger gave. */
  readonly content: string;
  /** As the caller gave it, from the first attempt on; null where it did not. */
  readonly messageId: string | null;
  /** Microseconds, as the caller gave it. */
  readonly timestamp: bigint | null;
  /** A later copy under an id that was answered before: it must be on the log, and count nowhere. */
  readonly isRepeat: boolean;
}

/** A message as the log holds it, to be held against what was sent. */
export type Logged = Omit<Expected, 'messageId' | 'timestamp' | 'isRepeat'> & {
  readonly messageId: string;
  readonly timestamp: bigint;
};

/** `refused`: answered that nothing was recorded. `unknown`: not answered, or 503; it may be on the log. */
export type Outcome = 'unknown' | 'answered' | 'refused';
const OUTCOMES: readonly Outcome[] = ['unknown', 'answered', 'refused'];

const ID_GIVEN = 1;
const TIME_GIVEN = 2;
const IS_TRACK = 4;
const IS_REPEAT = 8;
const PRINT_BYTES = 16;
const ANSWER_BYTES = 8;

export class Ledger {
  #count = 0;
  #prints = Buffer.alloc(2 ** 16 * PRINT_BYTES);
  #answers = Buffer.alloc(2 ** 16 * ANSWER_BYTES);
  #flags = new Uint8Array(2 ** 16);
  #outcomes = new Uint8Array(2 ** 16);

  /** The number of the next message that is added: to be put into its content. */
  get next(): number {
    return this.#count;
  }

  /** Before it is sent. */
  add(expected: Expected): number {
    const n = this.#count++;
    if (n >= this.#flags.length) this.#grow();
    this.#prints.write(printOf(expected), n * PRINT_BYTES, 'hex');
    this.#flags[n] =
      (expected.messageId === null ? 0 : ID_GIVEN) |
      (expected.timestamp === null ? 0 : TIME_GIVEN) |
      (expected.kind === 'track' ? IS_TRACK : 0) |
      (expected.isRepeat ? IS_REPEAT : 0);
    return n;
  }

  /** @param told What the answer named it by: its id; of project-user the session. */
  answered(n: number, told: string): void {
    this.#outcomes[n] = 1;
    this.#answers.write(answerOf(told), n * ANSWER_BYTES, 'hex');
  }

  refused(n: number): void {
    this.#outcomes[n] = 2;
  }

  outcome(n: number): Outcome {
    return OUTCOMES[this.#outcomes[n] ?? 0] as Outcome;
  }

  isTrack(n: number): boolean {
    return ((this.#flags[n] ?? 0) & IS_TRACK) !== 0;
  }

  isRepeat(n: number): boolean {
    return ((this.#flags[n] ?? 0) & IS_REPEAT) !== 0;
  }

  /** @param from The first message that counts. */
  count(outcome: Outcome, from = 0): number {
    return this.#outcomes.subarray(from, this.#count).reduce((sum, one) => sum + Number(OUTCOMES[one] === outcome), 0);
  }

  /** Whether this is message `n` as it was sent. */
  isAsSent(n: number, logged: Logged): boolean {
    if (n >= this.#count) return false;
    const flags = this.#flags[n] ?? 0;
    const print = printOf({
      ...logged,
      messageId: (flags & ID_GIVEN) === 0 ? null : logged.messageId,
      timestamp: (flags & TIME_GIVEN) === 0 ? null : logged.timestamp,
      isRepeat: (flags & IS_REPEAT) !== 0,
    });
    return this.#prints.toString('hex', n * PRINT_BYTES, (n + 1) * PRINT_BYTES) === print;
  }

  /** Whether the answer named it so. */
  isAsAnswered(n: number, told: string): boolean {
    return this.#answers.toString('hex', n * ANSWER_BYTES, (n + 1) * ANSWER_BYTES) === answerOf(told);
  }

  #grow(): void {
    this.#prints = Buffer.concat([this.#prints], 2 * this.#prints.length);
    this.#answers = Buffer.concat([this.#answers], 2 * this.#answers.length);
    this.#flags = grown(this.#flags);
    this.#outcomes = grown(this.#outcomes);
  }
}

function printOf(one: Expected): string {
  // Every attempt of project-user begins another session.
  const sessionId = one.kind === 'session' ? null : one.sessionId;
  const who = [one.kind, one.projectId, one.userKey, one.userId, one.anonymousId, one.source];
  return fingerprint([
    ...who,
    one.event,
    sessionId,
    one.anonymous,
    canonical(one.content),
    one.messageId,
    one.timestamp,
  ]);
}

function answerOf(told: string): string {
  return fingerprint([told]).slice(0, 2 * ANSWER_BYTES);
}

function grown(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * array.length);
  larger.set(array);
  return larger;
}
