import type { EventLog } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';

type End = Awaited<ReturnType<EventLog['ends']>>[number];

/** Where every partition of messages ended at one time. */
export class Ends {
  readonly #byTopic = new Map<string, End[]>();
  readonly #byName = new Map<string, bigint>();

  constructor(ends: readonly End[]) {
    for (const end of ends) {
      this.#byName.set(nameOf(end), end.offset);
      const ofTopic = this.#byTopic.get(end.topic);
      if (ofTopic === undefined) this.#byTopic.set(end.topic, [end]);
      else ofTopic.push(end);
    }
  }

  ofTopic(topic: string): readonly End[] {
    return this.#byTopic.get(topic) ?? [];
  }

  /** Whether the partition exists and has records up to this offset. */
  contains({ topic, partition, offset }: End): boolean {
    return (this.#byName.get(nameOf({ topic, partition })) ?? 0n) >= offset;
  }
}

/**
 * Reads where the log ends. One request to the log runs at a time. Callers that arrive meanwhile share the next one, because
 * the answer under way may predate the record that they ask about.
 */
export class LogEnds {
  readonly #log: Pick<EventLog, 'ends'>;
  #underWay: Promise<Ends> | undefined;
  #next: Promise<Ends> | undefined;

  constructor(log: Pick<EventLog, 'ends'>) {
    this.#log = log;
  }

  /** @throws TidemarkError as `EventLog.ends` does. */
  now(): Promise<Ends> {
    if (this.#next !== undefined) return this.#next;
    if (this.#underWay === undefined) return this.#ask();
    const ask = (): Promise<Ends> => this.#ask();
    return (this.#next = this.#underWay.then(ask, ask));
  }

  #ask(): Promise<Ends> {
    this.#next = undefined;
    const asked = this.#log.ends(MESSAGE_TOPICS).then((ends) => new Ends(ends));
    this.#underWay = asked.finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }
}
