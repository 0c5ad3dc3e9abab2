import { useEffect, useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { ComparisonJob, Generation } from '../../api/types.ts';
import { projectName } from '../../api/session.ts';
import { Field } from '../../parts/form.tsx';
import { count, counted, plural } from '../../parts/numbers.ts';
import { Ago } from '../../parts/time.tsx';
import { ChangeButton, ConfirmButton, Form } from '../../parts/loading/change.tsx';
import { Problem, useAnswer } from '../../parts/loading/use-load.tsx';
import { isOver } from '../job-state.tsx';

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

const TONES: Partial<Record<Generation['state'], string>> = { live: 'good', building: 'busy' };

type Step = 'compare' | 'swap' | 'rollback' | 'drop';

/** What stands on the button, and while it is done. */
const STEP_WORDS: Readonly<Record<Step, readonly [label: string, underWay: string]>> = {
  compare: ['Compare', 'Comparing with what is in use…'],
  swap: ['Use it', 'Switching over…'],
  rollback: ['Go back to the one before', 'Going back to what was in use before…'],
  drop: ['Delete', 'Deleting…'],
};

/** A generation, how far it is, and what can be done with it. */
export function GenerationCard({ generation, hasFormer, onChange }: CardProps) {
  const { number, state, project, created_at: at, messages } = generation;
  const [begun, setBegun] = useState<{ readonly step: Step; readonly job: string }>();
  const start = async (step: Step): Promise<void> => {
    const { id } = await ask(requestOf(generation, step));
    setBegun({ step, job: id });
    onChange();
  };
  const steps = STEPS_OF[state].filter((step) => step !== 'rollback' || hasFormer);
  return (
    <article class="card generation" data-row tabIndex={-1}>
      <div class="row">
        <i class={`dot ${TONES[state] ?? ''}`} aria-hidden="true" />
        <b>
          {STATE_WORDS[state]} (generation {counted(number)})
        </b>
        <span class="quiet">
          {project === null ? 'all projects' : `project ${projectName(project)}`}, made <Ago at={at} />
          {countOf(messages) > 0 && `, ${counted(messages)} messages read`}
        </span>
        <span class="row actions">
          {steps.map((step) => (
            <StepButton key={step} generation={generation} step={step} start={async () => start(step)} />
          ))}
        </span>
      </div>
      {state === 'building' && <Building generation={generation} onChange={onChange} />}
      {begun !== undefined && <Outcome key={begun.job} {...begun} onEnd={onChange} />}
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

const STEPS_OF: Readonly<Record<Generation['state'], readonly Step[]>> = {
  live: ['rollback'],
  building: ['compare', 'swap', 'drop'],
  former: ['compare', 'drop'],
  dropping: [],
  dropped: [],
};

interface StepButtonProps {
  readonly generation: Generation;
  readonly step: Step;
  readonly start: () => Promise<void>;
}

/** A comparison changes nothing; before anything else the name is asked for. */
function StepButton({ generation, step, start }: StepButtonProps) {
  const [label] = STEP_WORDS[step];
  if (step === 'compare') return <ChangeButton label={label} change={start} />;
  const name = `${generation.kind} ${generation.number.rawJSON}`;
  const { text, ...question } = questionOf(generation, name, step);
  return (
    <ConfirmButton label={label} name={name} onConfirm={start} {...question}>
      <p>{text}</p>
    </ConfirmButton>
  );
}

/** How much of the log it has read, and its rate, which can be changed while it reads. */
function Building({ generation, onChange }: BuildingProps) {
  const { kind, number, messages, behind, rate_limit: rate } = generation;
  const [read, left] = [countOf(messages), countOf(behind)];
  const change = async (textOf: (name: string) => string): Promise<void> => {
    const text = textOf('rate_limit');
    const body = `{"rate_limit":${text === '' ? 'null' : /^\d+$/.test(text) ? text : JSON.stringify(text)}}`;
    const path = { kind, number: number.rawJSON };
    await ask(operation('PATCH /v1/admin/generations/{kind}/{number}', { path, body })).then(onChange);
  };
  return (
    <>
      <progress aria-label="Read of the log" max={Math.max(1, read + left)} value={read} />
      <Form look="row rate-form" action="Change" onSend={change}>
        <span>{left === 0 ? 'Up to date with the log.' : `${count(left)} messages are left.`}</span>
        <Field
          key={rate?.rawJSON}
          label="Messages a second at most"
          name="rate_limit"
          inputMode="numeric"
          placeholder="no limit"
          defaultValue={rate?.rawJSON ?? ''}
        />
      </Form>
    </>
  );
}

/** A step under way, and what it came to. */
function Outcome({ step, job: id, onEnd }: { readonly step: Step; readonly job: string; readonly onEnd: () => void }) {
  const request = operation('GET /v1/admin/jobs/{id}', { path: { id }, query: { wait: '10' } });
  const { value: job, error } = useAnswer(request, ({ state }) => (isOver(state) ? undefined : 100));
  const hasEnded = job !== undefined && isOver(job.state);
  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded]);
  if (error !== undefined) return <Problem error={error} />;
  if (job === undefined || !hasEnded) {
    return (
      <p class="quiet" role="status">
        {STEP_WORDS[step][1]}{' '}
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
            {countOf(missing) > 0 && `, ${counted(missing)} are only in the copy in use`}
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

function questionOf({ number, behind, messages }: Generation, name: string, step: Step) {
  const left = countOf(behind);
  const waits = left > 0 ? ` It still has ${plural(left, 'message')} to read: the switch waits for them.` : '';
  if (step === 'swap') {
    const text = `Queries use it from then on. The present copy is kept, so you can go back.${waits}`;
    return { title: `Use ${name}?`, action: 'Use it', text };
  }
  if (step === 'rollback') {
    const text = `Queries use the generation before again. Generation ${counted(number)} is kept.`;
    return { title: 'Go back to the one before?', action: 'Go back', text };
  }
  const text = `It was built from ${plural(countOf(messages), 'message')}. Only another replay brings it back. The copy in use does not change.`;
  return { title: `Delete ${name}?`, action: 'Delete', text };
}
