/** Compares the log's counts with those of the stores. Pure. */
import type { ScanRange } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { AppliedCell, CellName } from './checkpoints.ts';
import { cellOf } from './checkpoints.ts';
import type { StoredCell } from './analytics-rows.ts';
import { emptyCell, type LogCell } from './log-cells.ts';

/** The figures of the log for a cell, with those of the stores. */
export interface ComparedCell {
  readonly log: LogCell;
  /** Messages and repeats that the projector counted. */
  readonly counted: number;
  /** Rows in analytics. */
  readonly held: number;
  /** Whether the rows are not those of the log, even if their number is equal. */
  readonly isOtherRows: boolean;
  /** The range of its offsets in the log and in analytics; both inclusive. */
  readonly span: readonly [bigint, bigint];
}

export function compareRecord(
  log: ReadonlyMap<string, LogCell>,
  applied: ReadonlyMap<string, AppliedCell>,
  held: ReadonlyMap<string, StoredCell>,
): readonly ComparedCell[] {
  const names = new Map<string, CellName>([...held, ...applied, ...log]);
  return [...names].map(([key, name]) => {
    const rows = held.get(key);
    const cell = log.get(key) ?? emptyCell(name, rows?.first ?? 0n);
    return {
      log: cell,
      counted: applied.get(key)?.count ?? 0,
      held: rows?.rows ?? 0,
      isOtherRows: (rows?.checksum ?? 0) !== cell.checksum,
      span: [lower(cell.first, rows?.first), higher(cell.last, rows?.last)],
    };
  });
}

export function differsInPostgres(cell: ComparedCell): boolean {
  return lackInPostgres(cell) !== 0;
}

/**
 * By how many messages the count of the projector is too low; negative where it is too high. Those of people who were
 * forgotten may be in it: it has them where they were read before.
 */
export function lackInPostgres({ log: { toCount, forgotten }, counted }: ComparedCell): number {
  if (counted < toCount) return toCount - counted;
  return Math.min(0, toCount + forgotten - counted);
}

export function differsInClickHouse({ log, held, isOtherRows }: ComparedCell): boolean {
  return held !== log.toHold || isOtherRows;
}

/** The range of offsets of each partition that the cells span, and the cells. */
export interface Span {
  readonly range: ScanRange;
  readonly cells: ReadonlyMap<string, ComparedCell>;
}

export function spansOf(cells: readonly ComparedCell[]): readonly Span[] {
  const byPartition = Map.groupBy(cells, ({ log }) => nameOf(log));
  return [...byPartition.values()].map((some) => {
    const [{ log }] = some as [ComparedCell];
    const from = some.map(({ span: [first] }) => first).reduce((a, b) => lower(a, b));
    const last = some.map(({ span: [, end] }) => end).reduce((a, b) => higher(a, b));
    return {
      range: { topic: log.topic, partition: log.partition, from, to: last + 1n },
      cells: new Map(some.map((cell) => [cellOf(cell.log), cell])),
    };
  });
}

function lower(a: bigint, b: bigint = a): bigint {
  return b < a ? b : a;
}

function higher(a: bigint, b: bigint = a): bigint {
  return b > a ? b : a;
}
