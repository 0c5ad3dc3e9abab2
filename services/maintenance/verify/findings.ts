import { formatMicros } from '../../messages/timestamp.ts';
import { identityOf, type Located } from './log-cells.ts';

export type StoreName = 'postgres' | 'clickhouse';

/** A message that a store should have and has not, or has and should not. Plain JSON. */
export interface NamedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Null where nobody can read the record, or where the log has none there. */
  readonly project: string | null;
  readonly message_id: string | null;
  /** The internal id. */
  readonly user: string | null;
  readonly received_at: string | null;
  readonly why: string;
}

/** How many there are, and the first of them. */
export interface Finding {
  readonly count: number;
  readonly first: readonly NamedMessage[];
}

const MAX_NAMED = 100;
// What was found missing is remembered, so that its repeats are not missing too.
const MAX_REMEMBERED = 100_000;

/** Gathers messages, and names the first. */
export class Findings {
  readonly #first: NamedMessage[] = [];
  readonly #identities = new Set<string>();
  #count = 0;

  add(message: NamedMessage): void {
    this.#count++;
    if (this.#first.length < MAX_NAMED) this.#first.push(message);
  }

  /** Unless it repeats one that was added. Whether it was added. */
  addMessage(located: Located, why: string): boolean {
    const identity = identityOf(located);
    if (this.#identities.has(identity)) return false;
    if (this.#identities.size < MAX_REMEMBERED) this.#identities.add(identity);
    this.add(namedMessage(located, why));
    return true;
  }

  get count(): number {
    return this.#count;
  }

  result(): Finding {
    return { count: this.#count, first: this.#first };
  }
}

function namedMessage({ topic, partition, record, content }: Located, why: string): NamedMessage {
  return {
    topic,
    partition,
    offset: String(record.offset),
    project: content.projectId,
    message_id: content.messageId,
    user: content.userKey,
    received_at: formatMicros(content.receivedAt),
    why,
  };
}
