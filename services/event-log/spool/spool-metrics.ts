import { Counter, Gauge, type Registry } from 'prom-client';

/** The values of the metrics. */
export interface SpoolFigures {
  readonly messages: number;
  readonly bytes: number;
  /** When the oldest waiting record was appended: milliseconds since 1970. */
  readonly oldestAtMs: number | undefined;
  readonly spooled: number;
  readonly forwarded: number;
  readonly refusals: number;
  readonly failures: number;
  readonly quarantined: number;
}

type Aggregator = 'sum' | 'max';

/** Registers the metrics. No label names a project or a user. */
export function registerSpoolMetrics(registry: Registry, figures: () => SpoolFigures): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: (now: SpoolFigures) => number, aggregator: Aggregator): void => {
    const metric: Gauge = new Gauge({ name, help, registers, aggregator, collect: () => metric.set(value(figures())) });
  };
  const counter = (name: string, help: string, value: (now: SpoolFigures) => number): void => {
    const metric: Counter = new Counter({
      name,
      help,
      registers,
      collect: () => {
        metric.reset();
        metric.inc(value(figures()));
      },
    });
  };
  gauge('tidemark_spool_messages', 'Messages that wait in the spool for the event log', (now) => now.messages, 'sum');
  gauge('tidemark_spool_bytes', 'Bytes of the spool on disk', (now) => now.bytes, 'sum');
  gauge('tidemark_spool_oldest_seconds', 'Age of the oldest message in the spool, 0 where none waits', ageOf, 'max');
  counter('tidemark_spool_spooled_total', 'Messages that were put into the spool', (now) => now.spooled);
  counter('tidemark_spool_forwarded_total', 'Messages that the event log has from the spool', (now) => now.forwarded);
  counter('tidemark_spool_full_total', 'Requests that found the spool full', (now) => now.refusals);
  counter('tidemark_spool_failures_total', 'Writes to the spool that failed', (now) => now.failures);
  counter(
    'tidemark_spool_kept_aside_total',
    'Damaged places of the spool, in files that were kept',
    (now) => now.quarantined,
  );
}

function ageOf({ oldestAtMs }: SpoolFigures): number {
  return oldestAtMs === undefined ? 0 : Math.max(0, (Date.now() - oldestAtMs) / 1_000);
}
