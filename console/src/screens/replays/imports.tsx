import { counted } from '../../parts/numbers.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { ImportJob } from '../../api/types.ts';
import { linkTo, parameter } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { Empty } from '../../parts/loading/states.tsx';
import { type CellColumn, Listed, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { isOver, JobState } from '../job-state.tsx';
import { LinkButton } from '../../parts/page.tsx';

/** All imports, newest first. */
export function Imports() {
  const polled = useAnswer(
    operation('GET /v1/admin/imports', { query: { cursor: parameter('cursor') } }),
    ({ imports }) => (imports.every(({ state }) => isOver(state)) ? POLL_MS.idle : POLL_MS.running),
  );
  return (
    <Listed
      of={polled}
      what="imports"
      rowsOf={({ imports }) => imports}
      keyOf={({ id }) => id}
      columns={IMPORT_COLUMNS}
      none={<NothingYet />}
    />
  );
}

function NothingYet() {
  return (
    <Empty title="No imports yet" action={<ImportAFile />}>
      Bring the history of another tool, as CSV or as JSON with one object per line.
    </Empty>
  );
}

export function ImportAFile() {
  return <LinkButton label="Import a file" look="primary" link={linkTo(['imports', 'new'])} />;
}

const IMPORT_COLUMNS: readonly CellColumn<ImportJob>[] = [
  {
    name: 'File',
    cell: ({ id, args }) => (
      <>
        <RowLink link={linkTo(['imports', id])}>{args.name}</RowLink>{' '}
        {args.dry_run && <span class="quiet">only checked</span>}
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <JobState state={state} /> },
  { name: 'Project', look: 'quiet narrow-off', cell: ({ args }) => projectName(args.project) },
  { name: 'Rows', cell: outcomeOf },
  { name: 'Started', look: 'quiet narrow-off', cell: ({ created_at: at }) => <Ago at={at} isPlain /> },
];

/** `39,997 accepted, 3 rejected, 2 dropped` */
function outcomeOf({ result, progress, args }: ImportJob): string {
  const { accepted, refused, dropped } = result ?? progress ?? {};
  if (accepted === undefined || refused === undefined) return '';
  const gone = dropped !== undefined && countOf(dropped) > 0 ? `, ${counted(dropped)} dropped` : '';
  return `${counted(accepted)} ${args.dry_run ? 'good' : 'accepted'}, ${counted(refused)} rejected${gone}`;
}
