/** The log against what was sent and answered. */
import { fingerprint } from './canonical.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';
import { type LoggedMessage, versionOfTimes } from './model.ts';
import { CLOCK_BELIEVED_MS } from '../schedule.ts';

const LONGEST_RUN_MS = 86_400_000;
const FOUND = 1;
const FOUND_AS_ANSWERED = 2;

/** Fed with the log, each partition in order; then asked what is missing. */
export class LogCheck {
  readonly #ledger: Ledger;
  readonly #findings: Findings;
  readonly #seen: Uint8Array;
  /** The last message of each user and topic that came for the first time. */
  readonly #last = new Map<string, number>();
  /** Under which id a message was seen. */
  readonly #ids = new Map<number, string>();
  copies = 0;

  constructor(ledger: Ledger, findings: Findings) {
    this.#ledger = ledger;
    this.#findings = findings;
    this.#seen = new Uint8Array(ledger.next);
  }

  add(message: LoggedMessage): void {
    const n = numberOf(message);
    if (n === undefined) return;
    this.#checkVersion(message, n);
    this.#checkArrival(message, n);
    if (n >= this.#seen.length || this.#ledger.outcome(n) === 'refused') {
      return this.#findings.add('on the log though never sent or refused', placeOf(message, n));
    }
    const kind = message.topic.slice('tidemark.'.length) as 'identify' | 'track' | 'session';
    if (!this.#ledger.isAsSent(n, { ...message, kind })) {
      return this.#findings.add('changed on the log', `${placeOf(message, n)}: ${JSON.stringify(message, bigints)}`);
    }
    this.#checkIdentity(message, n);
    if (this.#seen[n] === 0) this.#checkOrder(message, n);
    else this.copies++;
    const told = kind === 'session' ? (message.sessionId ?? '') : message.messageId;
    this.#seen[n] = (this.#seen[n] ?? 0) | FOUND | (this.#ledger.isAsAnswered(n, told) ? FOUND_AS_ANSWERED : 0);
  }

  /** After the last. */
  finish(): void {
    for (const [n, seen] of this.#seen.entries()) {
      if (this.#ledger.outcome(n) !== 'answered') continue;
      if ((seen & FOUND) === 0) this.#findings.add('lost from the log', `message ${n}`);
      else if ((seen & FOUND_AS_ANSWERED) === 0) {
        this.#findings.add('changed on the log', `message ${n}: under another id or session than the answer said`);
      }
    }
  }

  /** Readers know copies by their id: under two, a message would count twice. */
  #checkIdentity(message: LoggedMessage, n: number): void {
    const identity = fingerprint([message.topic, message.projectId, message.userKey, message.messageId]);
    const known = this.#ids.get(n) ?? identity;
    if (known !== identity) this.#findings.add('doubled on the log', `${placeOf(message, n)}: under another id`);
    this.#ids.set(n, known);
  }

  #checkOrder(message: LoggedMessage, n: number): void {
    // One that was given up may come whenever a process that was held up goes on.
    if (this.#ledger.outcome(n) !== 'answered') return;
    const lane = fingerprint([message.topic, message.projectId, message.userKey]);
    const last = this.#last.get(lane) ?? -1;
    if (n < last) this.#findings.add('out of order on the log', `${placeOf(message, n)} comes after message ${last}`);
    this.#last.set(lane, Math.max(n, last));
  }

  /** A clock that is years off must never date a message; one that was off by days from the start of a process may. */
  #checkArrival(message: LoggedMessage, n: number): void {
    const offMs = Math.abs(Number(message.receivedAt / 1000n) - Date.now());
    if (offMs > CLOCK_BELIEVED_MS + LONGEST_RUN_MS) {
      this.#findings.add('dated years off', `${placeOf(message, n)}: ${message.receivedAt}`);
    }
  }

  #checkVersion(message: LoggedMessage, n: number): void {
    const { version, timestamp, receivedAt } = message;
    if (BigInt(`0x${version}`) >> 20n !== versionOfTimes(timestamp, receivedAt)) {
      this.#findings.add('wrong version', `${placeOf(message, n)}: ${version}`);
    }
  }
}

/** Undefined in what the rig itself sends to find out how far the readers are. */
export function numberOf({ content }: Pick<LoggedMessage, 'content'>): number | undefined {
  const { n } = JSON.parse(content) as { n?: unknown };
  return typeof n === 'number' ? n : undefined;
}

function placeOf({ topic, partition, offset }: LoggedMessage, n: number): string {
  return `message ${n} at ${topic}/${partition}@${offset}`;
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
