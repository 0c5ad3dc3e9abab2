import type { Decoded } from '../../consumers/decode-batch.ts';
import { nameOf } from '../../event-log/partition.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import type { Message, MessageTopic } from '../../messages/message.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { isErasedEvent, NOBODY_ERASED } from '../../stores/erasures/erased-users.ts';
import { type EventCuts, isAboutGone } from '../../stores/projects/kept-events.ts';
import { areRepeats } from '../../stores/profiles/claims.ts';
import { haveEarlierCopy, hoursAround, rowsBetween, type StoredRow } from './analytics-rows.ts';
import { cellOf, type Checkpoints } from './checkpoints.ts';
import type { ComparedCell, Span } from './compare.ts';
import { type DeadLettered, recordState } from './log-cells.ts';
import { type Findings, type RowFault, UNKNOWN_MESSAGE } from './report.ts';
import { scanMessages, type ScannedMessages, type ScanParts } from './scan-messages.ts';

export interface RowParts extends ScanParts {
  readonly analytics: AnalyticsReader;
  readonly plans: Pick<Database, 'query'>;
  readonly checkpoints: Checkpoints;
  readonly deadLettered: DeadLettered;
  /** The internal ids of people who are being forgotten. */
  readonly hidden: readonly string[];
  /** The events that projects no longer keep. */
  readonly cuts: EventCuts;
  /** Messages missing in analytics. */
  readonly missing: Findings;
  /** Rows without a message. */
  readonly surplus: Findings;
}

/**
 * Reads the records that these cells span again, and queries analytics for each message. A message without a row is
 * missing unless an earlier copy has one. Returns the faults by cell.
 */
export async function findMissingRows(parts: RowParts, span: Span): Promise<ReadonlyMap<string, RowFault>> {
  const faults = new Map<string, RowFault>();
  const { hidden, cuts } = parts;
  const hours = [...span.cells.values()].map(({ log }) => log.hour);
  const period = { ...hoursAround(hours, {}), hidden, cuts };
  let from = span.range.from;
  const check = async (scanned: ScannedMessages | undefined, to: bigint): Promise<void> => {
    const rows = await rowsBetween(parts.analytics, span.range, [from, to], period);
    await checkRows(parts, span, { decoded: scanned?.decoded ?? [], rows, faults });
    from = to + 1n;
  };
  for await (const scanned of scanMessages(parts, [span.range])) {
    await check(scanned, scanned.batch.records.at(-1)?.offset ?? from);
  }
  if (from < span.range.to) await check(undefined, span.range.to - 1n);
  return faults;
}

interface Checked {
  readonly decoded: readonly Decoded<Message>[];
  readonly rows: readonly StoredRow[];
  readonly faults: Map<string, RowFault>;
}

async function checkRows(parts: RowParts, span: Span, { decoded, rows, faults }: Checked): Promise<void> {
  const checked = parts.checkpoints.checked.sink.get(nameOf(span.range));
  const byOffset = new Map(decoded.map((one) => [one.record.offset, one]));
  const present = new Set<bigint>();
  for (const row of rows) {
    const message = byOffset.get(row.offset)?.content;
    if (message?.messageId === row.messageId && message.projectId === row.projectId) present.add(row.offset);
    else if (recordState(checked, row.offset) === 'known') noteSurplus(parts, span, row, faults);
  }
  const absent = decoded.filter((one) => {
    const { offset } = one.record;
    if (present.has(offset) || cellFor(span, one) === undefined || recordState(checked, offset) !== 'known')
      return false;
    const isGone = isAboutGone(parts.cuts, one.content) || isErasedEvent(parts.erased ?? NOBODY_ERASED, one.content);
    return !parts.deadLettered.has('sink', one, offset) && !isGone;
  });
  for (const message of await withoutCopy(parts, span.range.topic as MessageTopic, absent)) {
    if (parts.missing.addMessage(message, 'analytics has no row of it')) faultOf(faults, span, message).missing++;
  }
}

async function withoutCopy(
  { analytics, plans }: RowParts,
  topic: MessageTopic,
  absent: readonly Decoded<Message>[],
): Promise<readonly Decoded<Message>[]> {
  const claimed = absent.filter(({ claim }) => claim !== undefined);
  const repeats = await areRepeats(
    plans,
    'sink',
    claimed.flatMap(({ claim }) => claim ?? []),
  );
  const known = new Set(claimed.filter((_, index) => repeats[index] === true));
  const rest = absent.filter((one) => !known.has(one));
  const copied = await haveEarlierCopy(analytics, topic, rest);
  return rest.filter((one) => !copied.has(one));
}

function noteSurplus({ surplus }: RowParts, span: Span, row: StoredRow, faults: Map<string, RowFault>): void {
  const { topic, partition } = span.range;
  // Its hour is unknown, so it counts for the first cell of its project.
  const cell = [...span.cells.values()].find(({ log }) => log.projectId === row.projectId);
  if (cell === undefined) return;
  const named = { ...UNKNOWN_MESSAGE, project: row.projectId, message_id: row.messageId };
  surplus.add({ topic, partition, offset: String(row.offset), ...named, why: 'the log has no such message there' });
  entryOf(faults, cellOf(cell.log)).surplus++;
}

function cellFor({ cells }: Span, { topic, partition, content }: Decoded<Message>): ComparedCell | undefined {
  return cells.get(cellOf({ topic, partition, projectId: content.projectId, hour: hourOf(content.receivedAt) }));
}

function faultOf(faults: Map<string, RowFault>, span: Span, message: Decoded<Message>): RowFault {
  const cell = cellFor(span, message);
  if (cell === undefined) throw new Error('a message of no cell');
  return entryOf(faults, cellOf(cell.log));
}

function entryOf(faults: Map<string, RowFault>, key: string): RowFault {
  let fault = faults.get(key);
  if (fault === undefined) faults.set(key, (fault = { missing: 0, surplus: 0 }));
  return fault;
}
