/** What a condition makes ClickHouse read, in words. Pure. */
import { formatMicros } from '../../messages/timestamp.ts';
import type { EventCondition, Period, TraitCondition } from '../definition/audience.ts';
import { isNameable } from './column-value.ts';
import { microsOf } from '../definition/instant.ts';
import type { CompileOptions } from './compile.ts';

export function describeScan(condition: TraitCondition | EventCondition, { now }: Pick<CompileOptions, 'now'>): string {
  return condition.kind === 'trait' ? traitReads(condition) : eventReads(condition, now);
}

function traitReads({ path }: TraitCondition): string {
  const [trait, ...nested] = path;
  const what = nested.length === 0 ? 'its typed columns (its JSON only of lists)' : 'its JSON';
  return `trait_rows: the newest row of every user who has the trait ${JSON.stringify(trait)}, by the key; ${what}`;
}

function eventReads({ event, where, times, within, first, last }: EventCondition, now: bigint): string {
  if (times.atLeast === 0 && times.atMost === null && first === null && last === null)
    return 'nothing: every user passes';
  const days = within === null ? 'of any day' : daysOf(within, now);
  const isAnyCopy = where.length === 0 && !first && !last && times.atLeast <= 1 && (times.atMost ?? 0) === 0;
  const copies = isAnyCopy
    ? `any copy of a repeat${within === null ? '' : ', the first on the days where the time begins and ends'}`
    : 'the first copy of a repeat (FINAL)';
  const columns = where.map(({ path }) => columnsOf(path));
  return [`track_rows: the events ${JSON.stringify(event)} ${days}, by the key`, copies, ...new Set(columns)].join(
    '; ',
  );
}

function daysOf({ from, to }: Period, now: bigint): string {
  const day = (micros: bigint) => formatMicros(micros).slice(0, 10);
  const ends = [...(from ? [`from ${day(microsOf(from, now))}`] : []), ...(to ? [`to ${day(microsOf(to, now))}`] : [])];
  return `of the days ${ends.join(' ')}`;
}

function columnsOf(path: readonly string[]): string {
  const member = path.map((key) => JSON.stringify(key)).join(' → ');
  return isNameable(path)
    ? `of the properties the subcolumns of ${member} alone`
    : `the whole text of the properties, since ClickHouse can name no subcolumn ${member}`;
}
