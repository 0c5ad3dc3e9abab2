/** How far each reader is behind, in messages and in time. */
import type { EventLog, LogCoordinates, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../../messages/message.ts';
import type { LiveGenerations } from '../../stores/generations/live-generations.ts';

export const READER_NAMES = ['projector', 'sink', 'import-projector', 'import-sink'] as const;
export type StatusReaderName = (typeof READER_NAMES)[number];

export interface Lag {
  readonly messages: number;
  /** When the log stored the oldest record that was not read yet; null where none is there, or it is not known. */
  readonly oldestAtMs: number | null;
}

type Lags = Readonly<Record<StatusReaderName, Lag>>;

export interface LogFigures {
  readonly lags: Lags;
  /** When the log stored the newest event that can be queried; null where nothing is. */
  readonly newestQueryableAtMs: number | null;
  /** Gone from the beginning of the log. */
  readonly deletedRecords: number;
}

export interface LogLagParts {
  readonly log: Pick<EventLog, 'ends' | 'beginnings' | 'scan'>;
  readonly progress: Pick<LiveGenerations, 'progress'>;
}

const EVENTS = 'tidemark.track';

/**
 * Times are those of the log's records: of each partition that a reader has not read to its end, the record at the
 * reader's position is read, and no other. So this costs a record a partition, however far the reader is behind.
 *
 * @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`; the signal's reason.
 */
export async function logFigures(parts: LogLagParts, signal: AbortSignal): Promise<LogFigures> {
  const offsets = await offsetsOf(parts);
  const [lags, newest] = await Promise.all([
    lagsOf(parts.log, offsets, signal),
    timesOf(parts.log, lastRead(offsets.positions.sink, offsets.beginnings), signal),
  ]);
  return {
    lags,
    newestQueryableAtMs: newest.length === 0 ? null : Math.max(...newest),
    deletedRecords: Number(offsets.beginnings.reduce((sum, { offset }) => sum + offset, 0n)),
  };
}

/** How far each reader is behind, at the cost that `logFigures` names. @throws as `logFigures`. */
export async function readerLags(parts: LogLagParts, signal: AbortSignal): Promise<Lags> {
  return lagsOf(parts.log, await offsetsOf(parts), signal);
}

interface LogOffsets {
  readonly beginnings: readonly LogCoordinates[];
  readonly ends: readonly LogCoordinates[];
  readonly positions: Awaited<ReturnType<LiveGenerations['progress']>>;
}

async function offsetsOf({ log, progress }: LogLagParts): Promise<LogOffsets> {
  const topics = [...LIVE_TOPICS, ...IMPORT_TOPICS];
  const [beginnings, ends, positions] = await Promise.all([
    log.beginnings(topics),
    log.ends(topics),
    progress.progress(),
  ]);
  return { beginnings, ends, positions };
}

async function lagsOf(
  log: LogLagParts['log'],
  { beginnings, ends, positions }: LogOffsets,
  signal: AbortSignal,
): Promise<Lags> {
  const unreadOf = (reader: 'projector' | 'sink', ofTopics: readonly string[]): ScanRange[] => {
    const begun = new Map<string, bigint>([
      ...beginnings.map((one) => [nameOf(one), one.offset] as const),
      ...positions[reader].map((one) => [nameOf(one), one.offset] as const),
    ]);
    const inTopics = ends.filter(({ topic }) => ofTopics.includes(topic));
    return inTopics
      .map((end) => ({ ...withoutOffset(end), from: begun.get(nameOf(end)) ?? end.offset, to: end.offset }))
      .filter(({ from, to }) => from < to);
  };
  const lagOf = async (reader: 'projector' | 'sink', ofTopics: readonly string[]): Promise<Lag> => {
    const unread = unreadOf(reader, ofTopics);
    const messages = Number(unread.reduce((sum, { from, to }) => sum + to - from, 0n));
    const times = await timesOf(log, unread.map(firstOf), signal);
    return { messages, oldestAtMs: times.length === 0 ? null : Math.min(...times) };
  };
  const [projector, sink, importProjector, importSink] = await Promise.all([
    lagOf('projector', LIVE_TOPICS),
    lagOf('sink', LIVE_TOPICS),
    lagOf('projector', IMPORT_TOPICS),
    lagOf('sink', IMPORT_TOPICS),
  ]);
  return { projector, sink, 'import-projector': importProjector, 'import-sink': importSink };
}

/** The last record before the position, in each partition of events. */
function lastRead(positions: readonly LogCoordinates[], beginnings: readonly LogCoordinates[]): ScanRange[] {
  const begun = new Map(beginnings.map((one) => [nameOf(one), one.offset]));
  return positions
    .filter((one) => one.topic === EVENTS && one.offset > (begun.get(nameOf(one)) ?? 0n))
    .map((one) => ({ ...withoutOffset(one), from: one.offset - 1n, to: one.offset }));
}

function firstOf(range: ScanRange): ScanRange {
  return { ...range, to: range.from + 1n };
}

function withoutOffset({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}

async function timesOf(
  log: Pick<EventLog, 'scan'>,
  ranges: readonly ScanRange[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const times: number[] = [];
  if (ranges.length === 0) return times;
  for await (const { records } of log.scan(ranges, { maxRecords: 1, signal })) {
    for (const { appendedAtMs } of records) times.push(appendedAtMs);
  }
  return times;
}
