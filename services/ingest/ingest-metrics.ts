import { Counter, Gauge, type Registry } from 'prom-client';
import { DurationHistogram, type Durations } from '../http/duration-histogram.ts';
import { MESSAGE_TOPICS, type MessageTopic, topicOf } from '../messages/message.ts';
import type { AcceptedBody } from './encode-job.ts';

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What ingest tells of itself. No label names a project or a user. */
export class IngestMetrics {
  readonly #accepted = new Map<MessageTopic, number>(MESSAGE_TOPICS.map((topic) => [topic, 0]));
  readonly #appends: Durations;
  readonly #rejected: Counter;
  readonly #adjusted: Counter;

  constructor(registry: Registry, unacknowledgedBytes: () => number, mostBytes: number) {
    const registers = [registry];
    const accepted: Counter = new Counter({
      name: 'tidemark_ingest_messages_accepted_total',
      help: 'Messages that are safe in the event log or wait in the spool for it, by topic',
      labelNames: ['topic'],
      registers,
      // Counted here and told when asked: prom-client's own increment costs more than the rest of the counting.
      collect: () => {
        accepted.reset();
        for (const [topic, count] of this.#accepted) accepted.inc({ topic }, count);
      },
    });
    const appends = new DurationHistogram({
      name: 'tidemark_ingest_append_duration_seconds',
      help: 'From handing the messages of a request to the event log until they are safe there or in the spool',
      bucketsS: BUCKETS_S,
      registry,
    });
    this.#appends = appends.child({});
    this.#rejected = new Counter({
      name: 'tidemark_ingest_items_rejected_total',
      help: 'Items of accepted batches that were left out because they are not valid',
      registers,
    });
    this.#adjusted = new Counter({
      name: 'tidemark_ingest_messages_adjusted_total',
      help: 'Accepted messages of SDKs of which a member could not be used, and was mended or left out',
      registers,
    });
    const gauge: Gauge = new Gauge({
      name: 'tidemark_ingest_unacknowledged_bytes',
      help: 'Bytes of messages handed to the event log and not yet safe',
      registers,
      collect: () => gauge.set(unacknowledgedBytes()),
    });
    const name = 'tidemark_ingest_max_unacknowledged_bytes';
    new Gauge({ name, help: 'How many these may be: MAX_UNACKNOWLEDGED_BYTES', registers }).set(mostBytes);
  }

  /** How many messages have been accepted since the process began. */
  get total(): number {
    return [...this.#accepted.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The messages of one request. */
  accepted({ counts, rejected, adjustedMessages }: Counted, appendMs: number): void {
    this.#appends.observe(appendMs);
    if (rejected > 0) this.#rejected.inc(rejected);
    if (adjustedMessages > 0) this.#adjusted.inc(adjustedMessages);
    for (const [topic, type] of TYPES) this.#accepted.set(topic, (this.#accepted.get(topic) ?? 0) + counts[type]);
  }
}

type Counted = Pick<AcceptedBody, 'counts' | 'rejected' | 'adjustedMessages'>;

const TYPES = (['identify', 'track', 'session'] as const).map((type) => [topicOf({ type }), type] as const);
