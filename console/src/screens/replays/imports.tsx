import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { ImportJob } from '../../api/types.ts';
import { address, linkTo } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { counted, isOver, plural, STATES } from './words.ts';

const WHILE_RUNNING_MS = 1_500;
const OTHERWISE_MS = 15_000;

/** All imports, newest first. */
export function Imports() {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const { value, error, refresh } = usePoll(
    `imports ${cursor}`,
    async (signal) => ask({ ...operation('GET /v1/admin/imports', { query: { cursor } }), signal }),
    ({ imports }) => (imports.every(({ state }) => isOver(state)) ? OTHERWISE_MS : WHILE_RUNNING_MS),
  );
  useRowKeys();
  if (value === undefined)
    return error === undefined ? <Loading what="imports" /> : <Problem error={error} retry={refresh} />;
  const { imports, next_cursor: next } = value;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {imports.length === 0 ? <NothingYet /> : <Rows imports={imports} />}
      <Pager next={next} />
    </>
  );
}

function NothingYet() {
  return (
    <Empty title="Nothing has been imported yet">
      <p>History from a file of CSV or NDJSON. It never overwrites what is newer.</p>
      <p class="row center">
        <ImportAFile />
      </p>
    </Empty>
  );
}

function ImportAFile() {
  return (
    <a class="button primary" href={linkTo(['imports', 'new'])}>
      Import a file
    </a>
  );
}

function Rows({ imports }: { readonly imports: readonly ImportJob[] }) {
  return (
    <>
      <div class="section-head">
        <ImportAFile />
        <CopyAs request={operation('GET /v1/admin/imports')} />
      </div>
      <ul class="rows" aria-label="Imports, newest first">
        {imports.map((job) => (
          <li key={job.id}>
            <ImportRow job={job} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ImportRow({ job }: { readonly job: ImportJob }) {
  return (
    <a class="row-button import-row" data-row href={linkTo(['imports', job.id])}>
      <span>
        <i class={`mark-state ${job.state}`} aria-hidden="true" /> {STATES[job.state]}
      </span>
      <span>
        <b>{job.args.name}</b> {job.args.dry_run && <span class="quiet">only checked</span>}
      </span>
      <span class="quiet">{projectName(job.args.project)}</span>
      <span>{outcomeOf(job)}</span>
      <span class="quiet">
        <Ago at={job.created_at} isPlain />
      </span>
    </a>
  );
}

/** `39,997 accepted, 3 refused` */
export function outcomeOf({ result, progress, args }: ImportJob): string {
  const { accepted, refused } = result ?? progress ?? {};
  if (accepted === undefined || refused === undefined) return '';
  return `${counted(accepted)} ${args.dry_run ? 'good' : 'accepted'}, ${plural(countOf(refused), 'rejected', 'rejected')}`;
}
