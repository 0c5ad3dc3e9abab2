/** Measures as the text of JSON numbers. Pure. */
import { finiteDouble } from '../../messages/decimal.ts';
import { UNITS_OF_MILLIONTH, unitsText } from '../measures/exact-number.ts';
import type { MeasureRow } from './count-sql.ts';
import type { Measure } from './read-question.ts';

const MILLION = 1_000_000n;
// Digits of a quotient: more than any double needs, however small the quotient.
const QUOTIENT_DIGITS = 40n;

/** What a measure has where there is nothing to measure. */
export function emptyMeasure({ kind }: Measure): string {
  return kind === 'average' || kind === 'percentile' ? 'null' : '0';
}

export function measureText({ kind }: Measure, row: MeasureRow): string {
  switch (kind) {
    case 'count':
    case 'users':
      return row.n;
    case 'percentile':
      return doubleText(row.percentile ?? null);
    case 'sum':
      return isExact(row)
        ? unitsText(BigInt(row.millionths ?? 0) * UNITS_OF_MILLIONTH)
        : doubleText(approximateSum(row));
    case 'average':
      return doubleText(isExact(row) ? quotient(row) : approximateAverage(row));
    default:
      return kind satisfies never;
  }
}

function isExact({ others }: MeasureRow): boolean {
  return others === '0';
}

/** Null past the range of doubles. */
function approximateSum({ millionths, others_sum: sum = null }: MeasureRow): number | null {
  return sum === null ? null : Number(millionths ?? 0) / 1e6 + sum;
}

function approximateAverage(row: MeasureRow): number | null {
  const sum = approximateSum(row);
  return sum === null ? null : sum / Number(row.n);
}

/** The nearest double to the average. */
function quotient({ millionths, n }: MeasureRow): number {
  const scaled = (BigInt(millionths ?? 0) * 10n ** QUOTIENT_DIGITS) / (BigInt(n) * MILLION);
  return Number(`${scaled}e-${QUOTIENT_DIGITS}`);
}

function doubleText(value: number | null): string {
  // + 0: minus zero is zero.
  return value === null ? 'null' : String(finiteDouble(value) + 0);
}
