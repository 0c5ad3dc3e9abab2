/** The answer: one figure of the whole period, the chart, what its lines are, and all of it as a table. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { mayChangeAudiences } from '../../api/session.ts';
import { Button } from '../../parts/form.tsx';
import { ask, operation } from '../../api/client.ts';
import type { CountsSeries } from '../../api/types.ts';
import { Chart, type Reading } from '../../parts/charts/chart.tsx';
import type { ChartLine } from '../../parts/charts/chart-marks.tsx';
import { NewNote, NoteList, useNotes } from '../../parts/charts/notes.tsx';
import { notesAt } from '../../parts/charts/notes-at.ts';
import { capital } from '../../parts/numbers.ts';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Ready, useLatest, useLoad } from '../../parts/loading/use-load.tsx';
import {
  type Answered,
  bucketText,
  changeOf,
  figureText,
  isCut,
  measureText,
  seriesText,
  tickText,
} from './figures.ts';
import { countsBody, type Question, splitParts, watchedOf } from './question.ts';
import type { CallMeProps } from './call-me.tsx';
import { MeasuredTable } from './measured-table.tsx';

/** @param question One that is whole. */
export function Measured({ question }: { readonly question: Question }) {
  const bodies = [countsBody(question), countsBody(question, true)];
  const answer = useLoad(bodies.join('\n'), async (signal) => {
    const [counts, whole] = await Promise.all(
      bodies.map((body) => ask({ ...operation('POST /v1/events/counts', { body }), signal })),
    );
    if (counts === undefined || whole === undefined) throw new TypeError('two questions have two answers');
    return { question, counts, whole };
  });
  return (
    <Ready of={useLatest(answer)} what="the chart">
      {(shown) => (
        <div class="measured" aria-busy={answer.value === undefined}>
          <AnswerView key={JSON.stringify(shown.question)} answered={shown} />
        </div>
      )}
    </Ready>
  );
}

function AnswerView({ answered }: { readonly answered: Answered }) {
  const { question, counts } = answered;
  const { interval } = question;
  const { buckets, series } = counts;
  const isNothing = series.every(({ values, previous = [] }) =>
    [...values, ...previous].every((value) => (value?.rawJSON ?? '0') === '0'),
  );
  const last = buckets.length - 1;
  const isOpen = question.within['between'] === undefined;
  const nameOf = (point: number): string => {
    const bucket = buckets[point];
    return bucket === undefined ? '' : bucketText(bucket, interval, isOpen && point === last);
  };
  const first = buckets[0];
  const cut = { first: first !== undefined && isCut(first, interval), last: isOpen };
  const starts = buckets.map(({ start }) => start);
  const notes = useNotes(first?.start ?? undefined);
  const [off, setOff] = useState<readonly string[]>([]);
  const isOn = (one: CountsSeries): boolean => !off.includes(seriesKey(one));
  const toggle = (key: string): void =>
    setOff(off.includes(key) ? off.filter((other) => other !== key) : [...off, key]);
  return (
    <>
      <Headline answered={answered} />
      {isNothing ? (
        <p class="nothing quiet">No data in this period.</p>
      ) : (
        <>
          <Chart
            name={`${measureText(question)} for each ${interval}. Arrow keys move through it.`}
            lines={linesOf(answered, isOn)}
            labels={buckets.map((bucket) => tickText(bucket, interval))}
            readingOf={(point) => ({ time: nameOf(point), values: valuesAt(answered, point, isOn) })}
            isCut={cut}
            notes={notesAt(starts, notes.value)}
          />
          <p class="row">
            <span class="quiet small">
              Times in {counts.timezone}.{(cut.first || cut.last) && ` Dashed: not the whole ${interval}.`}
            </span>
            <AddToChart question={question} onNote={notes.retry} />
          </p>
          <NoteList of={notes} />
          <Legend answered={answered} isOn={isOn} onToggle={toggle} />
        </>
      )}
      <MeasuredTable answered={answered} nameOf={nameOf} />
    </>
  );
}

/** A note, and a watch, whose dialog is loaded once somebody wants it. */
function AddToChart({ question, onNote }: { readonly question: Question; readonly onNote: () => void }) {
  const [Form, setForm] = useState<ComponentType<CallMeProps>>();
  const watched = watchedOf(question);
  const open = async (): Promise<void> => import('./call-me.tsx').then((loaded) => setForm(() => loaded.CallMe));
  return (
    <>
      <NewNote onAdd={onNote} />
      {watched && mayChangeAudiences.value && <Button label="Call me…" look="plain" onClick={() => void open()} />}
      {watched && Form && <Form event={question.event} question={watched} onClose={() => setForm(undefined)} />}
    </>
  );
}

/** The class of the line and of its mark in the legend. */
function lookOf({ value, other }: CountsSeries, i: number, isSplit: boolean): string {
  return other || (isSplit && value === null)
    ? `series-other${value === null && !other ? ' none' : ''}`
    : `series-${i % 8}`;
}

/** As many bars as can be told apart. */
const MAX_BARS = 50;

function linesOf(
  { question: { measure }, counts: { series, previous, buckets } }: Answered,
  isOn: IsOn,
): readonly ChartLine[] {
  const isSplit = series.length > 1;
  const isAmount = measure !== 'average' && measure !== 'percentile';
  const drawnAs = isAmount && buckets.length <= MAX_BARS ? 'bars' : 'area';
  const shown = series.map((one, i) => ({ one, look: lookOf(one, i, isSplit) })).filter(({ one }) => isOn(one));
  const now = shown.map(({ one, look }) => ({
    look,
    values: numbers(one.values),
    ...(!isSplit && ({ drawnAs } as const)),
  }));
  if (previous === null) return now;
  const before = shown.map(({ one, look }) => ({
    look: `${look} before`,
    values: numbers(one.previous ?? []).slice(0, one.values.length),
  }));
  return [...before, ...now];
}

function numbers(values: CountsSeries['values']): readonly (number | null)[] {
  return values.map((value) => (value === null ? null : Number(value.rawJSON)));
}

/** `pro 12 (before 10)` of each series. */
function valuesAt({ question, counts }: Answered, point: number, isOn: IsOn): Reading['values'] {
  const { measure, split } = question;
  return counts.series.flatMap((one, i) => {
    if (!isOn(one)) return [];
    const before = counts.previous === null ? '' : ` (before ${figureText(one.previous?.[point], measure)})`;
    const text = figureText(one.values[point], measure) + before;
    return split === undefined
      ? { name: measureText(question), text }
      : { name: seriesText(one, split), look: lookOf(one, i, counts.series.length > 1), text };
  });
}

function Headline({ answered: { question, whole } }: { readonly answered: Answered }) {
  if (question.split !== undefined) return <h2 class="measure">{capital(measureText(question))}</h2>;
  const [one] = whole.series;
  const [now, before] = [one?.values[0], one?.previous?.[0]];
  const change = changeOf(now, before);
  return (
    <div class="total">
      <h2 class="figure">
        <b title={now?.rawJSON}>{one === undefined ? '0' : figureText(now, question.measure)}</b>{' '}
        {question.measure === 'count' && now?.rawJSON === '1' ? 'event' : measureText(question)}
      </h2>
      {whole.previous !== null && (
        <p class="quiet">
          {change !== undefined && <b class="change">{change}</b>} {figureText(before, question.measure)} in the period
          before
        </p>
      )}
    </div>
  );
}

/** Whether a series is in the chart: a press on its name in the legend takes it out. */
type IsOn = (one: CountsSeries) => boolean;

interface LegendProps {
  readonly answered: Answered;
  readonly isOn: IsOn;
  readonly onToggle: (key: string) => void;
}

function Legend({ answered: { question, counts, whole }, isOn, onToggle }: LegendProps) {
  const { measure, split } = question;
  const isCompared = counts.previous !== null;
  if (split === undefined) return isCompared ? <Dashes /> : null;
  const wholeOf = (one: CountsSeries): CountsSeries | undefined =>
    whole.series.find((other) => seriesKey(other) === seriesKey(one));
  const nowOf = (one: CountsSeries) => wholeOf(one)?.values[0];
  const beforeOf = (one: CountsSeries) => wholeOf(one)?.previous?.[0];
  const headOf = (one: CountsSeries) => (
    <button type="button" class="bare cover" aria-pressed={isOn(one)} onClick={() => onToggle(seriesKey(one))}>
      <i class={`swatch ${isOn(one) ? lookOf(one, counts.series.indexOf(one), true) : 'off'}`} aria-hidden="true" />
      {seriesText(one, split)}
    </button>
  );
  const compared: readonly CellColumn<CountsSeries>[] = [
    { name: 'Period before', look: 'number quiet', cell: (one) => figureText(beforeOf(one), measure) },
    { name: 'Change', look: 'number', cell: (one) => changeOf(nowOf(one), beforeOf(one)) ?? '–' },
  ];
  return (
    <Listing
      look="legend below"
      rows={counts.series}
      keyOf={seriesKey}
      columns={[
        { name: splitParts(split)[1] ?? '', cell: headOf },
        { name: 'Whole period', look: 'number', cell: (one) => figureText(nowOf(one), measure) },
        ...(isCompared ? compared : []),
      ]}
    />
  );
}

/** Two values that are written alike are different ones: `20` and `"20"`. */
function seriesKey({ value, other }: CountsSeries): string {
  return other ? 'other' : JSON.stringify(value);
}

function Dashes() {
  return (
    <ul class="row small quiet">
      <li>
        <i class="swatch series-0" aria-hidden="true" />
        This period
      </li>
      <li>
        <i class="swatch series-0 before" aria-hidden="true" />
        The period before
      </li>
    </ul>
  );
}
