import { ask } from '../../api/client.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { ImportJob } from '../../api/types.ts';
import { address, linkTo } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { bytes, count } from '../../parts/numbers.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { counted, durationText, isOver, STATES } from './words.ts';

/** One import: how far it is, and what it refused. */
export function ImportPage({ id }: { readonly id: string }) {
  const { value: job, error, refresh } = useImport(id);
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['imports'])}>Imports</a>
      </p>
      <div class="head">
        <h1>{job === undefined ? 'Import' : job.args.name}</h1>
        <div class="row actions">
          {job !== undefined && <Steps job={job} onDone={refresh} />}
          <CopyAs request={operation('GET /v1/admin/imports/{id}', { path: { id } })} />
        </div>
      </div>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {job === undefined ? error === undefined && <Loading what="the import" /> : <Whole job={job} />}
    </div>
  );
}

const POLL_MS = 400;

/** @param id Undefined to ask for nothing. */
export function useImport(id: string | undefined) {
  return usePoll(
    id,
    async (signal) => ask({ ...operation('GET /v1/admin/imports/{id}', { path: { id: id ?? '' } }), signal }),
    ({ state }) => (isOver(state) ? undefined : POLL_MS),
  );
}

function Whole({ job }: { readonly job: ImportJob }) {
  const { args } = job;
  return (
    <>
      <ImportState job={job} />
      <dl class="facts wide-facts below">
        <div>
          <dt>Project</dt>
          <dd>{projectName(args.project)}</dd>
        </div>
        <div>
          <dt>Began</dt>
          <dd>
            <Ago at={job.created_at} />
          </dd>
        </div>
        <div>
          <dt>On the machine</dt>
          <dd>{args.host}</dd>
        </div>
        <div>
          <dt>From</dt>
          <dd>{args.path === null ? 'an uploaded file' : <code>{args.path}</code>}</dd>
        </div>
      </dl>
      <RefusedList
        id={job.id}
        refused={countOf((job.result ?? job.progress)?.refused ?? ZERO)}
        isOver={isOver(job.state)}
      />
    </>
  );
}

const ZERO = { rawJSON: '0' };

/** Stop while it runs; go on where it did not come to its end. */
function Steps({ job, onDone }: { readonly job: ImportJob; readonly onDone: () => void }) {
  const { run, isBusy, error } = useChange();
  if (job.state === 'done') return null;
  const path = { id: job.id };
  const stop = (): void => run(async () => ask(operation('DELETE /v1/admin/jobs/{id}', { path })).then(onDone));
  const resume = (): void =>
    run(async () => ask(operation('POST /v1/admin/imports/{id}/resume', { path })).then(onDone));
  return (
    <>
      {error !== undefined && (
        <span class="field-error" role="alert">
          {error.message}
        </span>
      )}
      {isOver(job.state) ? (
        <button type="button" class="primary" disabled={isBusy} onClick={resume}>
          Resume
        </button>
      ) : (
        <button type="button" disabled={isBusy} onClick={stop}>
          Stop
        </button>
      )}
    </>
  );
}

/** State, bar and figures. */
export function ImportState({ job }: { readonly job: ImportJob }) {
  const { state, progress, result, problem, args } = job;
  const figures = result ?? progress;
  return (
    <section class="card import-state" aria-label="Progress">
      <p class="row" role="status">
        <i class={`mark-state ${state}`} aria-hidden="true" />
        <b>{STATES[state]}</b>
        <span class="quiet">{remark(job)}</span>
      </p>
      {!isOver(state) && <Bar job={job} />}
      {problem !== null && state === 'failed' && <p class="field-error">{problem.detail}</p>}
      {(state === 'cancelled' || state === 'interrupted') && !args.dry_run && (
        <p>What was accepted stays. “Resume” continues behind the last line, and no line counts twice.</p>
      )}
      {figures?.lines !== undefined && (
        <Counts accepted={figures.accepted} refused={figures.refused} isDry={args.dry_run} />
      )}
    </section>
  );
}

interface CountsProps {
  readonly accepted: RawNumber | undefined;
  readonly refused: RawNumber | undefined;
  readonly isDry: boolean;
}

/** The header and blank lines are no rows. */
function Counts({ accepted = ZERO, refused = ZERO, isDry }: CountsProps) {
  const wrong = countOf(refused);
  return (
    <dl class="figures">
      <div>
        <dt>Rows read</dt>
        <dd>{count(countOf(accepted) + wrong)}</dd>
      </div>
      <div>
        <dt>{isDry ? 'Would be accepted' : 'Accepted'}</dt>
        <dd>{counted(accepted)}</dd>
      </div>
      <div>
        <dt>{isDry ? 'Would be rejected' : 'Rejected'}</dt>
        <dd class={wrong > 0 ? 'some' : ''}>{count(wrong)}</dd>
      </div>
    </dl>
  );
}

function Bar({ job: { progress } }: { readonly job: ImportJob }) {
  const total = progress?.total === undefined ? undefined : countOf(progress.total);
  if (progress === null || total === undefined || total === 0) return <progress aria-label="Progress" />;
  return <progress aria-label="Progress" max={total} value={countOf(progress.done)} />;
}

function remark({ state, progress, rate, seconds_left: left, args }: ImportJob): string {
  if (state === 'queued' || progress?.waiting !== undefined) return progress?.waiting ?? 'starting';
  if (state !== 'running') return args.dry_run ? 'Only checked: nothing was imported.' : '';
  const parts = [
    args.dry_run ? 'checking' : 'importing',
    rate !== null && countOf(rate) > 0 && `${bytes(rate)} a second`,
    left !== null && `${durationText(countOf(left))} left`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

interface RefusedListProps {
  readonly id: string;
  readonly refused: number;
  readonly isOver: boolean;
}

/** The lines that were refused, a page of them. While it runs, those that there are. */
export function RefusedList({ id, refused, isOver: isFinal }: RefusedListProps) {
  const cursor = address.value.query.get('lines') ?? undefined;
  const path = { id };
  const asked = operation('GET /v1/admin/imports/{id}/refused', { path, query: { cursor } });
  // A thousand lines more are worth another look.
  const page = useAnswer(asked, `${isFinal} ${Math.ceil(refused / 1_000)}`);
  useRowKeys();
  if (refused === 0) return null;
  if (page.state === 'loading') return <Loading what="refused lines" />;
  if (page.state === 'failed') return <Problem error={page.error} retry={page.retry} />;
  const { refused: lines, next_cursor: next } = page.value;
  return (
    <section class="below" aria-labelledby="refused-title">
      <div class="section-head">
        <h2 id="refused-title">Rejected lines</h2>
        <CopyAs request={operation('GET /v1/admin/imports/{id}/refused', { path, query: { limit: 1_000 } })} />
      </div>
      <ul class="rows refused-lines">
        {lines.map(({ line, errors, text, cut }) => (
          <li key={line.rawJSON} data-row tabIndex={-1}>
            <span class="quiet">Line {counted(line)}</span>
            <div>
              {errors.map(({ path: at, message, column }) => (
                <p key={at + message}>
                  {at !== '' && <code>{column ?? at.slice(1)}</code>} {message}
                </p>
              ))}
              <code class="quiet text">
                {text}
                {cut && '…'}
              </code>
            </div>
          </li>
        ))}
      </ul>
      <Pager next={next} name="lines" />
    </section>
  );
}
