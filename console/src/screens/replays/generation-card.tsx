import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { ComparisonJob, Generation } from '../../api/types.ts';
import { projectName } from '../../frame/session.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { textIn } from '../../parts/form.ts';
import { count } from '../../parts/numbers.ts';
import { Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { counted, isOver, KINDS, plural } from './words.ts';

interface CardProps extends BuildingProps {
  /** Whether one is kept that was live before. */
  readonly hasFormer: boolean;
}

interface BuildingProps {
  readonly generation: Generation;
  readonly onChange: () => void;
}

const STATE_WORDS: Readonly<Record<Generation['state'], string>> = {
  live: 'In use',
  building: 'Being built',
  former: 'Was in use before',
  dropping: 'Being deleted',
  dropped: 'Deleted',
};

type Step = 'compare' | 'swap' | 'rollback' | 'drop';

const UNDER_WAY: Readonly<Record<Step, string>> = {
  compare: 'Comparing with what is in use…',
  swap: 'Taking the place of what is in use…',
  rollback: 'Going back to what was in use before…',
  drop: 'Deleting…',
};

/** A generation, how far it is, and what can be done with it. */
export function GenerationCard({ generation, hasFormer, onChange }: CardProps) {
  const { number, state, project, created_at: at, messages } = generation;
  const { isBusy, error, run } = useChange();
  const [begun, setBegun] = useState<{ readonly step: Step; readonly job: string }>();
  const [asked, setAsked] = useState<Step>();
  const start = async (step: Step): Promise<void> => {
    const { id } = await ask(requestOf(generation, step));
    setBegun({ step, job: id });
    onChange();
  };
  const request = (step: Step): void => (step === 'compare' ? run(async () => start(step)) : setAsked(step));
  return (
    <article class="card generation" data-row tabIndex={-1}>
      <div class="row">
        <i class={`mark-state ${state}`} aria-hidden="true" />
        <b>
          {STATE_WORDS[state]} (generation {counted(number)})
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
          onConfirm={async () => start(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </article>
  );
}

function requestOf({ kind, number, project }: Generation, step: Step) {
  const path = { kind, number: number.rawJSON };
  if (step === 'rollback') {
    return operation('POST /v1/admin/generations/{kind}/{number}/rollback', { path, body: { project } });
  }
  return operation(`POST /v1/admin/generations/{kind}/{number}/${step}`, { path });
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
    ['swap', 'Use it'],
    ['drop', 'Delete'],
  ],
  former: [
    ['compare', 'Compare'],
    ['drop', 'Delete'],
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
  const { isBusy, error, run } = useChange();
  const [read, left] = [countOf(messages), countOf(behind)];
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const text = textIn(event.currentTarget, 'rate');
    const body = `{"rate_limit":${text === '' ? 'null' : /^\d+$/.test(text) ? text : JSON.stringify(text)}}`;
    const path = { kind, number: number.rawJSON };
    run(async () => ask(operation('PATCH /v1/admin/generations/{kind}/{number}', { path, body })).then(onChange));
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
  const { value: job, error } = usePoll(
    id,
    async (signal) => {
      const found = await ask({
        ...operation('GET /v1/admin/jobs/{id}', { path: { id }, query: { wait: '10' } }),
        signal,
      });
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
  if (step !== 'compare') return <p role="status">Done.</p>;
  // A job of any kind is answered; this one was started by a comparison.
  const { result } = job as ComparisonJob;
  return result === null ? null : <Differences result={result} />;
}

/** What differs from what is live, worded. */
function Differences({ result: { same, comparison } }: { readonly result: NonNullable<ComparisonJob['result']> }) {
  return (
    <div class="differences" role="status">
      <p>
        <b>{same ? 'It is the same as what is in use.' : 'It differs from what is in use.'}</b>
      </p>
      <ul>
        {comparison.map(({ what, unit, equal, different, missing, extra, undecided, sample }) => (
          <li key={what}>
            <b>{what}</b>: {counted(equal)} {unit} are the same
            {countOf(different) > 0 && `, ${counted(different)} differ`}
            {countOf(missing) > 0 && `, ${counted(missing)} are only in what is in use`}
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
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

function Question({ generation, step, onConfirm, onClose }: QuestionProps) {
  const { kind, number, behind, messages } = generation;
  const name = `${kind} ${number.rawJSON}`;
  const props = { name, onConfirm, onClose };
  const left = countOf(behind);
  if (step === 'swap') {
    return (
      <ConfirmName title={`Use ${name}?`} action="Use it" {...props}>
        <p>
          {KINDS[kind]} are answered from it from then on. What is in use now is kept and can come back.
          {left > 0 && ` It has not read ${plural(left, 'message')} yet: the swap waits for them.`}
        </p>
      </ConfirmName>
    );
  }
  if (step === 'rollback') {
    return (
      <ConfirmName title="Go back to the one before?" action="Go back" {...props}>
        <p>
          {KINDS[kind]} are answered from what was in use before. Generation {counted(number)} is kept.
        </p>
      </ConfirmName>
    );
  }
  return (
    <ConfirmName title={`Delete ${name}?`} action="Delete" {...props}>
      <p>
        It holds what came of {plural(countOf(messages), 'message')}, and cannot be had back but by another replay. What
        is in use stays as it is.
      </p>
    </ConfirmName>
  );
}
