import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { BuiltGeneration, Generation, ReplayJob } from '../../api/imports.ts';
import { countOf } from '../../api/json.ts';
import { textIn } from '../../parts/form.ts';
import { count } from '../../parts/numbers.ts';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { usePolled } from '../../parts/use-polled.ts';
import { Confirm } from './confirm.tsx';
import { projectName } from './imports.tsx';
import { counted, GENERATIONS_PATH, isOver, KINDS, plural } from './words.ts';

interface CardProps extends BuildingProps {
  /** Whether one is kept that was live before. */
  readonly hasFormer: boolean;
}

interface BuildingProps {
  readonly generation: Generation;
  readonly onChange: () => void;
}

const STATE_WORDS: Readonly<Record<Generation['state'], string>> = {
  live: 'Live',
  building: 'Being built',
  former: 'Was live before',
  dropping: 'Being removed',
  dropped: 'Removed',
};

type Step = 'compare' | 'swap' | 'rollback' | 'drop';

const UNDER_WAY: Readonly<Record<Step, string>> = {
  compare: 'Comparing with what is live…',
  swap: 'Taking the place of what is live…',
  rollback: 'Going back to what was live before…',
  drop: 'Removing…',
};

/** A generation, how far it is, and what can be done with it. */
export function GenerationCard({ generation, hasFormer, onChange }: CardProps) {
  const { kind, number, state, project, created_at: at, messages } = generation;
  const { isBusy, error, run } = useAction();
  const [begun, setBegun] = useState<{ readonly step: Step; readonly job: string }>();
  const [asked, setAsked] = useState<Step>();
  const start = (step: Step): void =>
    run(async () => {
      const path = `${GENERATIONS_PATH}/${kind}/${number.rawJSON}/${step}`;
      const body = step === 'rollback' ? JSON.stringify({ project }) : undefined;
      setBegun({ step, job: (await ask<ReplayJob>({ method: 'POST', path, ...(body && { body }) })).id });
      onChange();
    });
  const request = (step: Step): void => (step === 'compare' ? start(step) : setAsked(step));
  return (
    <article class="card generation" data-row tabIndex={-1}>
      <div class="row">
        <i class={`mark-state ${state}`} aria-hidden="true" />
        <b>
          {STATE_WORDS[state]} · number {counted(number)}
        </b>
        <span class="quiet">
          {project === null ? 'all projects' : `project ${projectName(project)}`}, made <Ago at={at} />
          {countOf(messages) > 0 && `, ${counted(messages)} messages read`}
        </span>
        <Buttons state={state} hasFormer={hasFormer} isBusy={isBusy} onStep={request} />
      </div>
      {state === 'building' && <Building generation={generation} onChange={onChange} />}
      {error !== undefined && <Problem error={error} />}
      {begun !== undefined && <Outcome key={begun.job} {...begun} onEnd={onChange} />}
      {asked !== undefined && (
        <Question
          generation={generation}
          step={asked}
          onConfirm={() => start(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </article>
  );
}

interface ButtonsProps {
  readonly hasFormer: boolean;
  readonly state: Generation['state'];
  readonly isBusy: boolean;
  readonly onStep: (step: Step) => void;
}

const STEPS: Readonly<Record<Generation['state'], readonly (readonly [Step, string])[]>> = {
  live: [['rollback', 'Go back to the one before']],
  building: [
    ['compare', 'Compare'],
    ['swap', 'Make it live'],
    ['drop', 'Remove'],
  ],
  former: [
    ['compare', 'Compare'],
    ['drop', 'Remove'],
  ],
  dropping: [],
  dropped: [],
};

function Buttons({ state, hasFormer, isBusy, onStep }: ButtonsProps) {
  const steps = STEPS[state].filter(([step]) => step !== 'rollback' || hasFormer);
  return (
    <span class="row actions">
      {steps.map(([step, words]) => (
        <button key={step} type="button" disabled={isBusy} onClick={() => onStep(step)}>
          {words}
        </button>
      ))}
    </span>
  );
}

/** How much of the log it has read, and its rate, which can be changed while it reads. */
function Building({ generation, onChange }: BuildingProps) {
  const { kind, number, messages, behind, rate_limit: rate } = generation;
  const { isBusy, error, run } = useAction();
  const [read, left] = [countOf(messages), countOf(behind)];
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const text = textIn(event.currentTarget, 'rate');
    const body = `{"rate_limit":${text === '' ? 'null' : /^\d+$/.test(text) ? text : JSON.stringify(text)}}`;
    const path = `${GENERATIONS_PATH}/${kind}/${number.rawJSON}`;
    run(async () => ask({ method: 'PATCH', path, body }).then(onChange));
  };
  return (
    <>
      <progress aria-label="Read of the log" max={Math.max(1, read + left)} value={read} />
      <form class="rate-form" onSubmit={submit}>
        <span>{left === 0 ? 'It has read the whole log and follows it.' : `${count(left)} messages are left.`}</span>
        <label class="row">
          <span class="quiet">At most</span>
          <input
            name="rate"
            inputMode="numeric"
            placeholder="no limit"
            defaultValue={rate?.rawJSON ?? ''}
            key={rate?.rawJSON}
          />
          <span class="quiet">messages a second</span>
        </label>
        <button type="submit" disabled={isBusy}>
          Change
        </button>
        {error !== undefined && (
          <span class="field-error" role="alert">
            {error.message}
          </span>
        )}
      </form>
    </>
  );
}

interface OutcomeProps {
  readonly step: Step;
  readonly job: string;
  readonly onEnd: () => void;
}

/** A step under way, and what it came to. */
function Outcome({ step, job: id, onEnd }: OutcomeProps) {
  const { value: job, error } = usePolled(
    id,
    async (signal) => {
      const found = await ask<ReplayJob>({ path: `v1/admin/jobs/${id}`, query: { wait: '10' }, signal });
      if (isOver(found.state)) onEnd();
      return found;
    },
    ({ state }) => (isOver(state) ? undefined : 100),
  );
  if (error !== undefined) return <Problem error={error} />;
  if (job === undefined || !isOver(job.state)) {
    return (
      <p class="quiet" role="status">
        {UNDER_WAY[step]}{' '}
        {job !== undefined && job.progress !== null && `${counted(job.progress.done)} ${job.progress.unit ?? ''}`}
      </p>
    );
  }
  if (job.state !== 'done' || job.result === null) {
    return (
      <p class="field-error" role="alert">
        {job.problem?.detail ?? 'It was stopped.'}
      </p>
    );
  }
  return step === 'compare' ? <Differences result={job.result} /> : <p role="status">Done.</p>;
}

/** What differs from what is live, worded. */
function Differences({ result: { same, comparison } }: { readonly result: BuiltGeneration }) {
  return (
    <div class="differences" role="status">
      <p>
        <b>{same ? 'It is the same as what is live.' : 'It differs from what is live.'}</b>
      </p>
      <ul>
        {comparison.map(({ what, unit, equal, different, missing, extra, undecided, sample }) => (
          <li key={what}>
            <b>{what}</b>: {counted(equal)} {unit} are the same
            {countOf(different) > 0 && `, ${counted(different)} differ`}
            {countOf(missing) > 0 && `, ${counted(missing)} are only in what is live`}
            {countOf(extra) > 0 && `, ${counted(extra)} are only in the new one`}
            {countOf(undecided) > 0 && `, ${counted(undecided)} changed while they were compared`}.
            {sample.length > 0 && (
              <>
                {' '}
                Such as <code>{sample.slice(0, 5).join(', ')}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface QuestionProps {
  readonly generation: Generation;
  readonly step: Step;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function Question({ generation, step, onConfirm, onClose }: QuestionProps) {
  const { kind, number, behind, messages } = generation;
  const name = `${kind} ${number.rawJSON}`;
  const left = countOf(behind);
  if (step === 'swap') {
    return (
      <Confirm title={`Make ${name} live`} verb="Make it live" name={name} onConfirm={onConfirm} onClose={onClose}>
        <p>
          {KINDS[kind]} are answered from it from then on. What is live now is kept and can come back.
          {left > 0 && ` It has not read ${plural(left, 'message')} yet: the swap waits for them.`}
        </p>
      </Confirm>
    );
  }
  if (step === 'rollback') {
    return (
      <Confirm title="Go back to the one before" verb="Go back" name={name} onConfirm={onConfirm} onClose={onClose}>
        <p>
          {KINDS[kind]} are answered from what was live before. Number {counted(number)} is kept.
        </p>
      </Confirm>
    );
  }
  return (
    <Confirm title={`Remove ${name}`} verb="Remove" name={name} onConfirm={onConfirm} onClose={onClose}>
      <p>
        It holds what came of {plural(countOf(messages), 'message')}, and cannot be had back but by another replay. What
        is live stays as it is.
      </p>
    </Confirm>
  );
}
