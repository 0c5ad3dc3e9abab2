/** What `tidemark status` tells of a service, worked out from what the service answers without a key. */

/** Metrics of Prometheus: name → samples. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReaderStatus {
  readonly lag_messages: number;
  /** How long the lag takes at the rate of the sample; null where the reader processed nothing. */
  readonly lag_seconds: number | null;
  readonly messages_per_second: number;
}

export interface DiskStatus {
  readonly folder: string;
  readonly free_bytes: number;
  readonly used_bytes: number;
}

export interface Attention {
  /** The part, reader or thing. */
  readonly what: string;
  readonly why: string;
}

export interface ServiceStatus {
  readonly url: string;
  readonly up: boolean;
  readonly version: string | null;
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly accepted_per_second: number | null;
  readonly readers: Readonly<Record<string, ReaderStatus>>;
  readonly disk: DiskStatus | null;
  readonly attention: readonly Attention[];
}

export interface Observed {
  readonly url: string;
  readonly version: string | null;
  readonly readiness: { readonly ready: boolean; readonly parts: Readonly<Record<string, string>> };
  /** Read twice, `seconds` apart. */
  readonly before: Metrics;
  readonly after: Metrics;
  readonly seconds: number;
  readonly disk: DiskStatus | null;
}

const METRIC_LINE = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus' text format. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = METRIC_LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', label = '']) => [key, label]);
    const samples = metrics.get(name) ?? [];
    samples.push({ labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) });
    metrics.set(name, samples);
  }
  return metrics;
}

export function statusOf(observed: Observed): ServiceStatus {
  const { url, version, readiness, before, after, seconds, disk } = observed;
  const accepted = 'tidemark_ingest_messages_accepted_total';
  return {
    url,
    up: true,
    version,
    ready: readiness.ready,
    parts: readiness.parts,
    accepted_per_second: after.has(accepted) ? (total(after, accepted) - total(before, accepted)) / seconds : null,
    readers: readersOf(observed),
    disk,
    attention: attentionOf(observed),
  };
}

export function statusDown(url: string, why: string, disk: DiskStatus | null): ServiceStatus {
  const attention = [{ what: 'service', why }, ...diskAttention(disk)];
  const nothing = { version: null, ready: false, parts: {}, accepted_per_second: null, readers: {} };
  return { url, up: false, ...nothing, disk, attention };
}

function readersOf({ before, after, seconds }: Observed): Readonly<Record<string, ReaderStatus>> {
  return Object.fromEntries(
    (after.get(LAG) ?? []).map(({ labels: { reader = '' }, value: lag }) => {
      const rate = (total(after, PROCESSED, reader) - total(before, PROCESSED, reader)) / seconds;
      const lagSeconds = rate > 0 ? lag / rate : null;
      return [reader, { lag_messages: lag, lag_seconds: lag === 0 ? 0 : lagSeconds, messages_per_second: rate }];
    }),
  );
}

const LAG = 'tidemark_reader_lag_messages';
const PROCESSED = 'tidemark_reader_messages_total';

/** A reader is a batch behind while messages arrive. */
const LAG_OF_NO_ACCOUNT = 10_000;
const WAITING_TOO_LONG_S = 10;
/** The service refuses messages below 64 MiB. */
const LITTLE_FREE_BYTES = 2 ** 30;
// A part that is busy has not finished its last look within a second.
const WELL: readonly string[] = ['ready', 'busy'];

function attentionOf({ readiness, before, after, disk }: Observed): Attention[] {
  const parts = Object.entries(readiness.parts).filter(([, state]) => !WELL.includes(state));
  const unready = readiness.ready ? [] : [{ what: 'service', why: 'it is not ready: /readyz is 503' }];
  return [
    ...unready,
    ...parts.map(([what, state]) => ({ what, why: `it is ${state}` })),
    ...readersAttention(before, after),
    ...storesAttention(after),
    ...diskAttention(disk),
  ];
}

function readersAttention(before: Metrics, after: Metrics): Attention[] {
  const readers = after.get(LAG) ?? [];
  return readers.flatMap(({ labels: { reader = '' }, value: lag }) => {
    const earlier = total(before, LAG, reader);
    const waiting = total(after, 'tidemark_reader_waiting_seconds', reader);
    const deadLetters = total(after, 'tidemark_reader_dead_letters_total', reader);
    return [
      ...(lag > LAG_OF_NO_ACCOUNT && lag > earlier ? [`its lag grows: ${lag} messages, ${earlier} before`] : []),
      ...(waiting > WAITING_TOO_LONG_S ? [`it has repeated what fails for ${Math.round(waiting)} s`] : []),
      ...(deadLetters > 0
        ? [`${deadLetters} messages became dead letters since it started: npx tidemark dead-letters list`]
        : []),
    ].map((why) => ({ what: reader, why }));
  });
}

function storesAttention(after: Metrics): Attention[] {
  const spooled = total(after, 'tidemark_spool_messages');
  const missing = after.get('tidemark_verify_missing_messages') ?? [];
  return [
    ...(spooled > 0 ? [{ what: 'spool', why: `${spooled} messages wait for the event log` }] : []),
    ...missing
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => {
        return { what: labels['store'] ?? 'store', why: `it lacks ${value} messages of the log: npx tidemark verify` };
      }),
  ];
}

function diskAttention(disk: DiskStatus | null): Attention[] {
  if (disk === null || disk.free_bytes >= LITTLE_FREE_BYTES) return [];
  return [{ what: 'disk', why: `${Math.round(disk.free_bytes / 2 ** 20)} MiB are free at ${disk.folder}` }];
}

function total(metrics: Metrics, name: string, reader?: string): number {
  const samples = (metrics.get(name) ?? []).filter(({ labels }) => reader === undefined || labels['reader'] === reader);
  return samples.reduce((sum, { value }) => sum + value, 0);
}
