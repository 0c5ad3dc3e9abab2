/** A step of a funnel: the event in words that can be changed, how many users came so far, and how many went no further. */
import { countOf, isObject, type Json, type JsonObject, jsonText } from '../../api/json.ts';
import { linkTo } from '../../api/address.ts';
import type { Funnel } from '../../api/types.ts';
import { count, plural, shareText } from '../../parts/numbers.ts';
import type { Builder } from '../builder/builder.ts';
import { type Edit, type Path, pointerOf } from '../builder/json-edit.ts';
import { laterEventPieces, nameAdditions, namesIn } from '../builder/sentences/event-names.ts';
import { durationPieces, periodPieces } from '../builder/sentences/period-pieces.ts';
import { type Addition, type Phrase, removal, word } from '../builder/sentences/phrase.ts';
import { add, Additions, Phrases, PieceView } from '../builder/sentences/piece-view.tsx';
import { whereAdditions, wherePhrases } from '../builder/sentences/where-phrases.ts';
import { Listing } from '../../parts/table.tsx';
import { seriesText } from './figures.ts';

type Step = readonly [Path, JsonObject];

interface FunnelStepProps {
  readonly builder: Builder;
  readonly steps: readonly Step[];
  readonly index: number;
  readonly answer: Funnel | undefined;
}

export function FunnelStep({ builder, steps, index, answer }: FunnelStepProps) {
  const [at, step] = steps[index] as Step;
  const removed = steps.length > 2 ? withoutStep(at, step) : undefined;
  const phrases: readonly Phrase[] = [
    { name: 'event', pieces: laterEventPieces([...at, 'event'], step['event'] ?? null) },
    ...(step['where'] === undefined
      ? []
      : wherePhrases([...at, 'where'], step['where'], namesIn(step['event'])[0] ?? '')),
    ...timePhrases(at, step),
  ];
  return (
    <li>
      <div class="step" data-row role="group" tabIndex={-1} data-at={pointerOf(at)} aria-label={`Step ${index + 1}`}>
        <b class="step-number" aria-hidden="true">
          {index + 1}
        </b>
        <span class="condition-words">
          <Phrases editor={builder} phrases={phrases} />
          <Additions additions={additionsTo(at, step)} onAdd={(addition) => void add(builder, addition)} />
        </span>
        <Reached answer={answer} index={index} />
        {removed !== undefined && (
          <PieceView editor={builder} piece={{ kind: 'remove', label: `Remove step ${index + 1}`, edit: removed }} />
        )}
      </div>
      {index + 1 < steps.length && <Dropped answer={answer} index={index} />}
    </li>
  );
}

/** The first step has a time, each other one is some time after the one before. */
function timePhrases(at: Path, { within }: JsonObject): readonly Phrase[] {
  if (within === undefined) return [];
  const timeAt = [...at, 'within'];
  if (at.length > 0) {
    const pieces = [word('within'), ...durationPieces(timeAt, within), word(`after step ${at.length}`)];
    return [{ name: 'within', pieces }];
  }
  return [{ name: 'within', pieces: [...periodPieces(timeAt, within), removal('Remove the time', timeAt)] }];
}

function additionsTo(at: Path, { event, where, within }: JsonObject): readonly Addition[] {
  const when: Addition = {
    text: 'when',
    label: 'Only events of a certain time',
    make: () => ({ at: [...at, 'within'], value: { last: '30d' } }),
  };
  return [
    ...nameAdditions([...at, 'event'], event, 'Or another event'),
    ...whereAdditions([...at, 'where'], where, namesIn(event)[0] ?? ''),
    ...(within === undefined ? [when] : []),
  ];
}

/** The next step takes its timeAt; at the beginning with the time of the first. */
function withoutStep(at: Path, { followed_by: next, within }: JsonObject): Edit {
  if (at.length > 0) return { at, value: next };
  const { within: _, ...rest } = isObject(next) ? next : {};
  return { at, value: { ...rest, ...(within !== undefined && { within }) } };
}

function Reached({ answer, index }: Pick<FunnelStepProps, 'answer' | 'index'>) {
  const step = answer?.steps[index];
  if (step === undefined) return <span class="reached quiet">–</span>;
  const [reached, first] = [countOf(step.reached), countOf(answer?.steps[0]?.reached ?? step.reached)];
  return (
    <span class="reached">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="8" class="all" />
        <rect width={(100 * reached) / Math.max(1, first)} height="8" />
      </svg>
      <a href={audienceLink(step.audience)}>{plural(reached, 'user')}</a>
      {index > 0 && <span class="quiet"> {shareText(reached, first)}</span>}
    </span>
  );
}

function Dropped({ answer, index }: Pick<FunnelStepProps, 'answer' | 'index'>) {
  const step = answer?.steps[index];
  const users = step?.dropped ?? undefined;
  if (step === undefined || users === undefined) return <p class="dropped quiet">–</p>;
  const text = `${count(countOf(users))} went no further`;
  return (
    <p class="dropped quiet">
      <span aria-hidden="true">↓ </span>
      <a href={audienceLink(step.dropped_audience)}>{text}</a>, {shareText(countOf(users), countOf(step.reached))}
    </p>
  );
}

/** Opens it in the builder. */
function audienceLink(definition: Json): string {
  return linkTo(['audiences', 'new'], { definition: jsonText(definition) });
}

type Row = Funnel['series'][number];

/** The users at each step by the value of a trait. */
export function FunnelTable({ answer: { steps, series }, by }: { readonly answer: Funnel; readonly by: string }) {
  return (
    <section aria-label={`By ${by}`}>
      <Listing
        rows={series}
        keyOf={({ value, other }) => JSON.stringify([value, other])}
        columns={[
          { name: by, cell: (row) => seriesText(row, `trait:${by}`) },
          ...steps.map(({ audience }, index) => ({
            name: `Step ${index + 1}`,
            look: 'number',
            cell: ({ value, other, reached }: Row) => {
              const [first = 0, users = 0] = [reached[0], reached[index]].map((one) => one && countOf(one));
              const trait = value === null ? { trait: by, exists: false } : { trait: by, is: value };
              return (
                <>
                  {other ? count(users) : <a href={audienceLink({ all: [trait, audience] })}>{count(users)}</a>}
                  {index > 0 && <span class="quiet"> {shareText(users, first)}</span>}
                </>
              );
            },
          })),
        ]}
      />
    </section>
  );
}
