/** `#/replays`: what is read again from the log. `#/imports`: files of history; one of them, and a new one. */
import { useEffect, useState } from 'preact/hooks';
import { LinkButton, ScreenPage, Section } from '../../parts/page.tsx';
import { ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { Generation, ImportJob } from '../../api/types.ts';
import { DropAnywhere } from '../../parts/files/drop.tsx';
import { ConfirmButton, FieldError } from '../../parts/loading/change.tsx';
import { bytes, counted, durationText } from '../../parts/numbers.ts';
import { Empty, POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { GenerationCard } from './generation-card.tsx';
import { ImportPage } from './import-page.tsx';
import { NewImport, Uploading } from './new-import.tsx';
import { address, linkTo, parameter } from '../../api/address.ts';
import './replays.css';
import { projectName } from '../../api/session.ts';
import { type CellColumn, Listed, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { isOver, JobState } from '../job-state.tsx';

export function ReplaysScreen() {
  return (
    <ScreenPage
      title="Replays"
      up={{ path: 'pipeline', name: 'Pipeline' }}
      copy={{ request: operation('GET /v1/admin/generations'), tidemark: ['replay', 'status'] }}
    >
      <p class="text quiet">
        A replay builds profiles or analytics anew from the log, beside the copy in use. You need one when the data
        check under Pipeline shows red, or when the release notes of a new version ask for it. Messages are accepted and
        questions answered meanwhile; nothing changes until you choose <b>Use it</b>.
      </p>
      <Generations />
    </ScreenPage>
  );
}

const STORES: Readonly<Record<Generation['kind'], string>> = { profiles: 'Profiles', analytics: 'Analytics' };

/** What is live, what is being read again from the log, and what was live before. */
function Generations() {
  const polled = useAnswer(operation('GET /v1/admin/generations'), ({ generations }) =>
    generations.some(({ state }) => state === 'building' || state === 'dropping') ? POLL_MS.running : POLL_MS.idle,
  );
  return (
    <Ready of={polled} what="generations">
      {({ generations }) =>
        (Object.keys(STORES) as Generation['kind'][]).map((kind) => {
          const ofKind = generations
            .filter((one) => one.kind === kind && one.state !== 'dropped')
            .toSorted((one, other) => countOf(other.number) - countOf(one.number));
          const isBuilding = ofKind.some(({ state }) => state === 'building');
          return (
            <Section
              key={kind}
              id={`kind-${kind}`}
              title={STORES[kind]}
              actions={!isBuilding && <Build kind={kind} onDone={polled.retry} />}
            >
              {ofKind.map((generation) => (
                <GenerationCard
                  key={generation.number.rawJSON}
                  generation={generation}
                  hasFormer={ofKind.some(({ state }) => state === 'former')}
                  onChange={polled.retry}
                />
              ))}
            </Section>
          );
        })
      }
    </Ready>
  );
}

/** Says first what it would take: how long beside the button, the rest before it begins. */
function Build({ kind, onDone }: { readonly kind: Generation['kind']; readonly onDone: () => void }) {
  const { value, error } = useAnswer(
    operation('POST /v1/admin/generations', { body: { kind }, query: { dry_run: 'true' } }),
  );
  const plan = value !== undefined && 'basis' in value ? value : undefined;
  const build = async (): Promise<void> =>
    ask(operation('POST /v1/admin/generations', { body: { kind } })).then(onDone);
  return (
    <>
      <FieldError error={error} />
      {plan !== undefined && <span class="quiet">about {durationText(countOf(plan.seconds))}</span>}
      <ConfirmButton
        label={`Replay ${STORES[kind].toLowerCase()}`}
        isOff={plan === undefined}
        title={`Replay ${STORES[kind].toLowerCase()}?`}
        action="Begin"
        onConfirm={build}
      >
        {plan !== undefined && (
          <p>
            Reads {counted(plan.messages)} messages, takes about {durationText(countOf(plan.seconds))}
            {plan.basis === 'assumed' && ' (an estimate: no replay was done here before)'} and needs about{' '}
            {bytes(plan.bytes)} of disk. The copy in use stays as it is.
            {countOf(plan.deleted_from_log) > 0 &&
              ` ${counted(plan.deleted_from_log)} records are no longer in the log: the new copy will lack them.`}
          </p>
        )}
      </ConfirmButton>
    </>
  );
}

/** A file may be dropped on each of its pages. */
export function ImportsScreen() {
  const [file, setFile] = useState<File>();
  const [, id] = address.value.path;
  useEffect(() => setFile(undefined), [id]);
  return (
    <>
      <DropAnywhere onFile={setFile} />
      {file === undefined ? (
        <ImportsPage id={id} onFile={setFile} />
      ) : (
        <Uploading key={`${file.name} ${file.lastModified}`} file={file} onEnd={() => setFile(undefined)} />
      )}
    </>
  );
}

function ImportsPage({ id, onFile }: { readonly id: string | undefined; readonly onFile: (file: File) => void }) {
  if (id === 'new') return <NewImport onFile={onFile} />;
  if (id !== undefined) return <ImportPage key={id} id={id} />;
  return (
    <ScreenPage
      title="Imports"
      beside={<p class="quiet">History from files. It never overwrites newer data.</p>}
      actions={<ImportAFile />}
      copy={{ request: operation('GET /v1/admin/imports') }}
    >
      <Imports />
    </ScreenPage>
  );
}

/** All imports, newest first. */
function Imports() {
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
      none={
        <Empty title="No imports yet" action={<ImportAFile />}>
          Bring the history of another tool, as CSV or as JSON with one object per line.
        </Empty>
      }
    />
  );
}

function ImportAFile() {
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
