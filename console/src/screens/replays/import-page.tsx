import { ask, operation } from '../../api/client.ts';
import { countOf, type RawNumber } from '../../api/json.ts';
import type { Answer, ImportJob } from '../../api/types.ts';
import { linkTo, parameter } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { DownloadCsv } from '../../parts/loading/csv.tsx';
import { Facts, ScreenPage, Section } from '../../parts/page.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { bytes, count, counted, durationText } from '../../parts/numbers.ts';
import { memberOf, saying } from '../../parts/loading/problems.ts';
import { ChangeButton } from '../../parts/loading/change.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { isOver, JobState } from '../job-state.tsx';

/** One import: how far it is, and what it refused. */
export function ImportPage({ id }: { readonly id: string }) {
  const polled = useImport(id);
  const path = { id };
  const rejected = operation('GET /v1/admin/imports/{id}/refused', { path, query: { limit: 1_000 } });
  return (
    <ScreenPage
      title={polled.value?.args.name ?? 'Import'}
      up={{ path: 'imports', name: 'Imports' }}
      actions={polled.value !== undefined && <Steps job={polled.value} onDone={polled.retry} />}
      copy={{ request: operation('GET /v1/admin/imports/{id}', { path }), also: { 'rejected lines': rejected } }}
    >
      <Ready of={polled} what="the import">
        {(job) => (
          <>
            <ImportState job={job} />
            <Facts of={factsOf(job)} look="wide-facts" />
            <RefusedList job={job} />
          </>
        )}
      </Ready>
    </ScreenPage>
  );
}

const WHILE_RUNNING_MS = 400;
const REJECTED_MS = 2_000;

/** @param id Undefined to ask for nothing. */
export function useImport(id: string | undefined) {
  const request = id === undefined ? undefined : operation('GET /v1/admin/imports/{id}', { path: { id } });
  return useAnswer(request, ({ state }) => (isOver(state) ? undefined : WHILE_RUNNING_MS));
}

function factsOf({ args, created_at: at }: ImportJob) {
  return {
    Project: projectName(args.project),
    Started: <Ago at={at} />,
    'On the machine': args.host,
    From: args.path === null ? 'an uploaded file' : <code>{args.path}</code>,
  };
}

const ZERO = { rawJSON: '0' };

type ImportFigures = Record<'accepted' | 'refused' | 'dropped', RawNumber>;

/** Stop while it runs; go on where it did not come to its end. */
function Steps({ job, onDone }: { readonly job: ImportJob; readonly onDone: () => void }) {
  if (job.state === 'done') return null;
  const path = { id: job.id };
  const stop = async (): Promise<void> => ask(operation('DELETE /v1/admin/jobs/{id}', { path })).then(onDone);
  const resume = async (): Promise<void> => ask(operation('POST /v1/admin/imports/{id}/resume', { path })).then(onDone);
  if (!isOver(job.state)) return <ChangeButton key="stop" label="Stop" change={stop} />;
  return <ChangeButton key="resume" label="Resume" look="primary" change={resume} />;
}

/** State, bar and figures. */
export function ImportState({ job }: { readonly job: ImportJob }) {
  const { state, progress, result, problem, args } = job;
  const figures = result ?? progress;
  return (
    <section class="card narrow" aria-label="Progress">
      <p class="row" role="status">
        <JobState state={state} />
        <span class="quiet">{remark(job)}</span>
      </p>
      {!isOver(state) && <Bar job={job} />}
      {problem !== null && state === 'failed' && <Failure detail={problem.detail} args={args} />}
      {(state === 'cancelled' || state === 'interrupted') && !args.dry_run && (
        <p>Accepted rows stay. “Resume” continues after the last line, and no line counts twice.</p>
      )}
      {figures?.lines !== undefined && <Counts of={figures} isDry={args.dry_run} />}
      <Warnings of={result?.warnings ?? []} />
    </section>
  );
}

/** Why it failed, and the way back to how its file is read. */
function Failure({ detail, args }: Pick<ImportJob, 'args'> & { readonly detail: string }) {
  const { file, path, name, dry_run: isDry } = args;
  return (
    <>
      <p class="field-error">{detail.includes('lines have no time') ? UNTIMED : detail}</p>
      {!isDry && (
        <a href={linkTo(['imports', 'new'], { file: file ?? '', path: path ?? '', name })}>Change how it is read</a>
      )}
    </>
  );
}

const UNTIMED = 'Many rows have no time. Choose “Time” under the column that has it, or tick “Rows may have no time”.';

type Warning = NonNullable<NonNullable<ImportJob['result']>['warnings']>[number];

/** What would be imported, or was, and is to be looked at. */
export function Warnings({ of: warnings }: { readonly of: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="notice">
      {warnings.map(({ column, message, count: times }) => (
        <li key={`${column} ${message}`}>
          {counted(times)} × {column !== null && <code>{column}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

/** The header and blank lines are no rows. */
function Counts({ of, isDry }: { readonly of: Partial<ImportFigures>; readonly isDry: boolean }) {
  const { accepted = ZERO, refused = ZERO, dropped = ZERO } = of;
  const wrong = countOf(refused);
  const gone = countOf(dropped);
  const facts = {
    'Rows read': count(countOf(accepted) + wrong + gone),
    [isDry ? 'Would be accepted' : 'Accepted']: counted(accepted),
    [isDry ? 'Would be rejected' : 'Rejected']: <span class={wrong > 0 ? 'some' : ''}>{count(wrong)}</span>,
    ...(gone > 0 && { 'Dropped: of forgotten people': count(gone) }),
  };
  return <Facts of={facts} look="figures" />;
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

/** The lines that were refused, a page of them. While it runs, those that there are. */
export function RefusedList({ job: { id, state, result, progress } }: { readonly job: ImportJob }) {
  const cursor = parameter('lines');
  const refused = countOf((result ?? progress)?.refused ?? ZERO);
  const asked = operation('GET /v1/admin/imports/{id}/refused', { path: { id }, query: { cursor } });
  const page = useAnswer(refused === 0 ? undefined : asked, () => (isOver(state) ? undefined : REJECTED_MS));
  if (refused === 0) return null;
  return (
    <Section id="refused-title" title="Rejected lines" actions={<DownloadCsv name="rejected lines" of={asked} />}>
      <Listed
        of={page}
        what="rejected lines"
        rowsOf={({ refused }) => refused}
        keyOf={({ line }) => line.rawJSON}
        columns={REJECTED_COLUMNS}
        cursor="lines"
      />
    </Section>
  );
}

const REJECTED_COLUMNS: readonly CellColumn<Answer<'GET /v1/admin/imports/{id}/refused'>['refused'][number]>[] = [
  { name: 'Line', look: 'number', cell: ({ line }) => counted(line) },
  {
    name: 'Problem',
    cell: ({ errors, text, cut }) => (
      <>
        {errors.map(({ path, message, column }) => (
          <p key={path + message}>
            {path !== '' && <code>{column ?? memberOf(path)}</code>} {saying(message)}
          </p>
        ))}
        <code class="quiet clamped">
          {text}
          {cut && '…'}
        </code>
      </>
    ),
  },
];
