/** What the last backup of a folder has of a log: all records below its ends, and none of those that came later. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint } from '../check/canonical.ts';
import { numberOf } from '../check/check-log.ts';
import type { Findings } from '../check/findings.ts';
import type { Ledger } from '../check/ledger.ts';
import type { LoggedMessage } from '../check/model.ts';
import type { TraitsTold } from '../check/traits-told.ts';

export interface BackedUpOptions {
  /** The next offset of each partition, as `topic/partition`. */
  readonly ends: ReadonlyMap<string, bigint>;
  /** A project whose people are all forgotten: no record of theirs comes back. */
  readonly forgotten: string | undefined;
}

/** Fed with the log that was lost, then with the one that was restored from the backup and went on. */
export class BackedUp {
  /** Messages that the backup has, without those of people who were forgotten. */
  messages = 0;
  /** Messages that were answered, and are not in the backup. */
  lost = 0;
  readonly #ends: ReadonlyMap<string, bigint>;
  readonly #forgotten: string | undefined;
  /** Fingerprints of messages below the ends, by where they are on the log. */
  readonly #prints = new Map<string, string>();
  /** What a copy of each message that is in the backup would be named by. */
  readonly #names = new Map<number, readonly string[]>();
  /** The number of the first message that was sent after the restore. */
  #next = 0;

  constructor({ ends, forgotten }: BackedUpOptions) {
    this.#ends = ends;
    this.#forgotten = forgotten;
  }

  /** A message of the log that was lost. */
  add(message: LoggedMessage): void {
    if (!this.#isBelowEnd(message) || message.projectId === this.#forgotten) return;
    this.#prints.set(coordinatesOf(message), printOf(message));
    this.messages++;
    const n = numberOf(message);
    if (n === undefined) return;
    const name = message.topic === 'tidemark.session' ? (message.sessionId ?? '') : message.messageId;
    this.#names.set(n, [...(this.#names.get(n) ?? []), name]);
  }

  has(n: number): boolean {
    return this.#names.has(n);
  }

  /** Makes the memory of the callers that of the restored log. Returns the traits that it tells of. */
  rewind({ ledger, told }: { readonly ledger: Ledger; readonly told: TraitsTold }): TraitsTold {
    this.#next = ledger.next;
    for (let n = 0; n < ledger.next; n++) {
      const [isAnswered, names] = [ledger.outcome(n) === 'answered', this.#names.get(n)];
      if (names === undefined) {
        if (isAnswered) this.lost++;
        ledger.refused(n);
      } else if (isAnswered && !names.some((name) => ledger.isAsAnswered(n, name))) {
        // The attempt that was answered came after the backup, one before it did not.
        ledger.answered(n, names.at(-1) ?? '');
      }
    }
    return told.onlyOf((n) => this.has(n));
  }

  /** A message of the log that was restored, in any order. */
  check(message: LoggedMessage, findings: Pick<Findings, 'add'>): void {
    const at = coordinatesOf(message);
    if (!this.#isBelowEnd(message)) {
      const n = numberOf(message);
      if (n !== undefined && n < this.#next && message.projectId !== this.#forgotten)
        findings.add('other than backed up', `${at}: message ${n} came after the backup`);
      return;
    }
    if (message.projectId === this.#forgotten)
      return findings.add('forgotten and there again', `${at}: ${message.userId ?? message.anonymousId}`);
    if (this.#prints.get(at) !== printOf(message)) findings.add('other than backed up', at);
    this.#prints.delete(at);
  }

  /** After the last. */
  finish(findings: Pick<Findings, 'add'>): void {
    for (const at of this.#prints.keys()) findings.add('other than backed up', `${at}: not there`);
  }

  #isBelowEnd({ topic, partition, offset }: LoggedMessage): boolean {
    return offset < (this.#ends.get(`${topic}/${partition}`) ?? 0n);
  }
}

/** Where the log of the last backup in a folder ends. */
export async function endsOfBackup(folder: string): Promise<ReadonlyMap<string, bigint>> {
  const { backups } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
    readonly backups: readonly { readonly ends: readonly EndOfPartition[] }[];
  };
  const ends = backups.at(-1)?.ends ?? [];
  return new Map(ends.map(({ topic, partition, end }) => [`${topic}/${partition}`, BigInt(end)]));
}

interface EndOfPartition {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
}

function coordinatesOf({ topic, partition, offset }: LoggedMessage): string {
  return `${topic}/${partition}@${offset}`;
}

function printOf(message: LoggedMessage): string {
  return fingerprint(Object.values(message) as (string | bigint)[]);
}
