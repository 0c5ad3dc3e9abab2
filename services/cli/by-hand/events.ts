/** What is by hand of `tidemark events counts`. */
import type { Answer } from '../../../schemas/operations.ts';
import type { ByHand } from '../document/commands.ts';
import { oneLine, table } from '../print.ts';

export const EVENT_QUESTIONS: Readonly<Record<string, ByHand>> = {
  'events counts': { print: ({ out }, counts: CountsAnswer) => out(countsText(counts)) },
};

type CountsAnswer = Answer<'POST /v1/events/counts'>;

/** A line for each bucket, a column for each series. */
function countsText({ buckets, series, previous, interval }: CountsAnswer): string {
  if (series.length === 0) return 'Nothing was counted.\n';
  const names = series.map((one) =>
    one.other ? 'other' : one.value === null && series.length === 1 ? 'ALL' : seriesName(one),
  );
  const rowsOf = (of: CountsAnswer['buckets'], values: (at: number) => readonly unknown[]): string[][] =>
    of.map(({ local, start }, at) => [localTimeOf(local ?? start), ...values(at).map((value) => numberText(value))]);
  const head = [interval === null ? 'FROM' : interval.toUpperCase(), ...names];
  const now = table(
    head,
    rowsOf(buckets, (at) => series.map(({ values }) => values[at])),
  );
  if (previous === null) return now;
  const before = rowsOf(previous.buckets, (at) => series.map((one) => one.previous?.[at]));
  return `${now}The period before:\n${table(head, before)}`;
}

function seriesName({ value }: CountsAnswer['series'][number]): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value);
}

/** The time zone is that of the question. */
function localTimeOf(local: string | null): string {
  return local === null ? '-' : local.slice(0, 16).replace('T', ' ');
}

function numberText(value: unknown): string {
  return value === null || value === undefined ? '-' : JSON.stringify(value);
}
