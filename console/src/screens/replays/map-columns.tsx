import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { type Body, operation } from '../../../../schemas/operations.ts';
import type { ImportJob, ImportPreview } from '../../api/types.ts';
import { address, goTo, linkTo, setParameters } from '../../frame/router.ts';
import { project } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { ImportState, RefusedList, useImport } from './import-page.tsx';
import { MEMBERS, PreviewTable } from './preview-table.tsx';
import { isOver } from './words.ts';

export type Source = { readonly file: string } | { readonly path: string };
export type ColumnMap = Readonly<Record<string, string>>;

/** What the first rows are, what the columns mean, a check of all of it, and the import. */
export function MapColumns({ source }: { readonly source: Source }) {
  const { query } = address.value;
  const map = mapIn(query);
  const request = { project: project.value?.id ?? '', ...source, ...optionsIn(query), map };
  const preview = useAnswer(operation('POST /v1/admin/imports/preview', { body: request }));
  return (
    <>
      <Options query={query} />
      {preview.state === 'loading' && <Loading what="the first rows" />}
      {preview.state === 'failed' && <Problem error={preview.error} retry={preview.retry} />}
      {preview.state === 'ready' && (
        <>
          {preview.value.problem !== null && <p class="notice">{preview.value.problem}</p>}
          <Guessed preview={preview.value} query={query} />
          <PreviewTable preview={preview.value} map={map} onMap={(changed) => change({ map: mapText(changed) })} />
          <Start body={request} isUsable={preview.value.problem === null} />
        </>
      )}
    </>
  );
}

/** What the columns seem to be, where nothing was said of them and rows would be rejected. */
function Guessed({
  preview: { guess, rows },
  query,
}: {
  readonly preview: ImportPreview;
  readonly query: URLSearchParams;
}) {
  const map = Object.entries(guess.map);
  const isAsked = ['type', 'map', 'delimiter'].some((name) => query.has(name));
  if (isAsked || map.length === 0 || rows.every(({ problems }) => problems.length === 0)) return null;
  const use = (): void =>
    change({
      type: guess.type ?? undefined,
      map: mapText(guess.map),
      delimiter: guess.delimiter === ',' ? undefined : (guess.delimiter ?? undefined),
    });
  return (
    <p class="notice row">
      <span>
        It looks like {guess.type === 'identify' ? 'traits of users' : 'events'}:{' '}
        {map.map(([column, member]) => `${column} is ${(MEMBERS[member] ?? member).toLowerCase()}`).join(', ')}.
      </span>
      <button type="button" onClick={use}>
        Read it so
      </button>
    </p>
  );
}

/** A check of the file as it was read before says nothing any more. */
function change(changes: Readonly<Record<string, string | undefined>>): void {
  setParameters({ ...changes, check: undefined });
}

function Options({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="filters import-options">
      <label>
        <span class="label">Rows are</span>
        <select value={query.get('type') ?? ''} onChange={(event) => change({ type: event.currentTarget.value })}>
          <option value="">by a column “type”</option>
          <option value="track">events</option>
          <option value="identify">traits of users</option>
        </select>
      </label>
      <label>
        <span class="label">Fields are separated by</span>
        <select
          value={query.get('delimiter') ?? ''}
          onChange={(event) => change({ delimiter: event.currentTarget.value })}
        >
          <option value="">a comma</option>
          <option value=";">a semicolon</option>
          <option value={'\t'}>a tab</option>
          <option value="|">a bar</option>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('types') === 'yes'}
          onChange={(event) => change({ types: event.currentTarget.checked ? 'yes' : undefined })}
        />
        Detect numbers and true/false
      </label>
    </div>
  );
}

interface StartProps {
  readonly body: Body<'POST /v1/admin/imports'>;
  readonly isUsable: boolean;
}

function Start({ body, isUsable }: StartProps) {
  const { isBusy, error, run } = useChange();
  const check = address.value.query.get('check') ?? undefined;
  const checked = useImport(check);
  const isChecking = check !== undefined && (checked.value === undefined || !isOver(checked.value.state));
  const isChecked = check !== undefined && !isChecking;
  const start = async (isDry: boolean): Promise<ImportJob> =>
    ask(operation('POST /v1/admin/imports', { body: { ...body, dry_run: isDry } }));
  const checkAll = (): void => run(async () => setParameters({ check: (await start(true)).id }));
  const importAll = (): void => run(async () => goTo(linkTo(['imports', (await start(false)).id])));
  return (
    <section class="below" aria-label="Check and import">
      {error !== undefined && <Problem error={error} />}
      {check !== undefined && <Checked id={check} check={checked} />}
      <p class="row">
        <button
          type="button"
          class={isChecked ? '' : 'primary'}
          disabled={isBusy || isChecking || !isUsable}
          onClick={checkAll}
        >
          {isChecking ? 'Checking…' : 'Check the whole file'}
        </button>
        <button type="button" class={isChecked ? 'primary' : ''} disabled={isBusy || !isUsable} onClick={importAll}>
          Import into {project.value?.name}
        </button>
        <CopyAs request={operation('POST /v1/admin/imports', { body })} />
      </p>
      <p class="quiet small">The check imports nothing. It says how many rows would be rejected, and why.</p>
    </section>
  );
}

interface CheckedProps {
  readonly id: string;
  readonly check: ReturnType<typeof useImport>;
}

/** The report of a dry run. */
function Checked({ id, check: { value: job, error, refresh } }: CheckedProps) {
  if (job === undefined)
    return error === undefined ? <Loading what="the check" /> : <Problem error={error} retry={refresh} />;
  const { refused } = job.result ?? job.progress ?? {};
  return (
    <>
      <ImportState job={job} />
      <RefusedList id={id} refused={refused === undefined ? 0 : countOf(refused)} isOver={isOver(job.state)} />
      <div class="below" />
    </>
  );
}

const TYPES = ['track', 'identify'] as const;

function optionsIn(query: URLSearchParams) {
  return {
    type: TYPES.find((type) => type === query.get('type')) ?? null,
    delimiter: query.get('delimiter') ?? ',',
    types: query.get('types') === 'yes',
  };
}

function mapIn(query: URLSearchParams): ColumnMap {
  return Object.fromEntries(new URLSearchParams(query.get('map') ?? ''));
}

function mapText(map: ColumnMap): string {
  return new URLSearchParams(map).toString();
}
