import { useEffect, useState } from 'preact/hooks';
import { address, goTo, linkTo, setParameters } from '../../api/address.ts';
import { ChooseFile } from '../../parts/files/drop.tsx';
import { Button, Check, Field, submitted } from '../../parts/form.tsx';
import { bytes } from '../../parts/numbers.ts';
import { Loading, Problem, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { ApiError, ask, type Body as BodyOf, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { ImportFile, ImportJob, ImportPreview } from '../../api/types.ts';
import { project } from '../../api/session.ts';
import { Choice } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { useChange } from '../../parts/loading/change.tsx';
import { isOver } from '../job-state.tsx';
import { CHOICES, choicesIn, choose, DELIMITERS, PRESETS, ROWS } from './choices.ts';
import { ImportState, RefusedList, useImport, Warnings } from './import-page.tsx';
import { PreviewTable, Remedies } from './preview-table.tsx';

const UP = { path: 'imports', name: 'Imports' };

/** `#/imports/new`: a file is chosen; with `?file=` or `?path=`, how it is read. */
export function NewImport({ onFile }: { readonly onFile: (file: File) => void }) {
  const { query } = address.value;
  const [file, path] = [query.get('file') ?? undefined, query.get('path') ?? undefined];
  const isChosen = file !== undefined || path !== undefined;
  return (
    <ScreenPage
      title={isChosen ? (query.get('name') ?? path) : 'Import a file'}
      up={UP}
      actions={isChosen && <LinkButton label="Choose another file" link={linkTo(['imports', 'new'])} />}
    >
      {isChosen ? (
        <MapColumns key={file ?? path} source={file === undefined ? { path: path ?? '' } : { file }} />
      ) : (
        <>
          <ChooseFile label="File to import" onFile={onFile}>
            CSV, or JSON with one object per line, up to 64 GB. Gzip works too.
          </ChooseFile>
          <PathForm />
          <p class="quiet below">Nothing is imported yet. Next, you see the first rows and what each column is.</p>
        </>
      )}
    </ScreenPage>
  );
}

function PathForm() {
  const open = (path: string): void => {
    if (path !== '') goTo(linkTo(['imports', 'new'], { path }));
  };
  return (
    <form class="filters below" onSubmit={submitted((textOf) => open(textOf('path')))}>
      <Field
        label="Or a file on the machine of the service"
        look="wide"
        name="path"
        placeholder="/srv/history.csv.gz"
        spellcheck={false}
        data-search=""
      />
      <Button label="Open" type="submit" />
    </form>
  );
}

interface UploadingProps {
  readonly file: File;
  /** Told when it has arrived, or is not wanted any more. */
  readonly onEnd: () => void;
}

export function Uploading({ file, onEnd }: UploadingProps) {
  const [arrived, setArrived] = useState(0);
  const { error, retry } = useLoad('upload', async (signal) => {
    const { id, name } = await uploadFile(file, setArrived, signal);
    onEnd();
    goTo(linkTo(['imports', 'new'], { file: id, name }));
  });
  return (
    <ScreenPage title="Import a file" up={UP}>
      {error !== undefined ? (
        <Problem error={error} retry={retry} />
      ) : (
        <div class="drop" role="status">
          <h2>Uploading {file.name}</h2>
          <progress aria-label="Uploaded" max={Math.max(file.size, 1)} value={arrived} />
          <p class="quiet">
            {bytes(arrived)} of {bytes(file.size)}
          </p>
          <Button label="Cancel" onClick={onEnd} />
        </div>
      )}
    </ScreenPage>
  );
}

/** Below what proxies take where nobody has changed that: 1 MiB. */
const PART_BYTES = 1_000_000;
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/**
 * Sends a file in parts. A part that did not arrive is sent again.
 *
 * @param onProgress With the bytes that have arrived.
 * @throws ApiError; the reason of the signal.
 */
async function uploadFile(file: File, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<ImportFile> {
  const query = { name: file.name.slice(-255) };
  const first = operation('POST /v1/admin/imports/files', { query, body: file.slice(0, PART_BYTES) });
  let uploaded = await ask({ ...first, signal });
  for (let attempt = 1; ;) {
    const offset = countOf(uploaded.bytes);
    onProgress(offset);
    if (offset >= file.size) return uploaded;
    const part = operation('PATCH /v1/admin/imports/files/{id}', {
      path: { id: uploaded.id },
      query: { offset },
      body: file.slice(offset, offset + PART_BYTES),
    });
    try {
      uploaded = await ask({ ...part, signal });
      attempt = 1;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0 || attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE_MS));
      attempt += 1;
    }
  }
}

type Body = BodyOf<'POST /v1/admin/imports'>;
type Source = { readonly file: string } | { readonly path: string };

/** What the first rows are, what the columns mean, a check of all of it, and the import. */
function MapColumns({ source }: { readonly source: Source }) {
  const { query } = address.value;
  const choices = choicesIn(query);
  const body = { project: project.value?.id ?? '', ...source, ...choices };
  const preview = useAnswer(operation('POST /v1/admin/imports/preview', { body }));
  const isRead = CHOICES.some((name) => query.has(name));
  return (
    <>
      {isRead && <Options query={query} />}
      <Ready of={preview} what="the first rows">
        {(found) =>
          isRead ? (
            <>
              <Lacks of={found} />
              <Warnings of={found.warnings} />
              <Remedies of={found} />
              <PreviewTable preview={found} />
              <Start body={body} isUsable={found.problem === null} />
            </>
          ) : (
            <UseGuess of={found.guess} />
          )
        }
      </Ready>
    </>
  );
}

/** What a file seems to be is taken first. */
function UseGuess({ of: guess }: { readonly of: ImportPreview['guess'] }) {
  useEffect(() => choose(guess), []);
  return <Loading what="the first rows" />;
}

/** Why every row would be refused, in words of what can be chosen. */
function Lacks({ of: { problem, guess } }: { readonly of: ImportPreview }) {
  const lacks = Object.entries(LACKS).filter(([lack]) => problem?.includes(lack));
  const texts = lacks.length > 0 ? lacks.map(([, text]) => text) : problem === null ? [] : [problem];
  if (guess.header === false)
    texts.push('The first line seems to be a row. Put a line above it that names the columns.');
  return texts.map((text) => (
    <p key={text} class="notice">
      {text}
    </p>
  ));
}

const LACKS: Readonly<Record<string, string>> = {
  'there is no user_id': 'Which column has the user id? Choose “User id” under its name.',
  'there is no type': 'What is each row: an event, or traits of a user? Choose it above.',
  'there is no event': 'Which column has the name of the event? Choose “Event name” under it.',
};

function Options({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="filters">
      <Choice
        label="Exported from"
        value={query.get('preset') ?? ''}
        options={PRESETS}
        onChoice={(preset) => choose({ preset, type: null, map: {} })}
      />
      <Choice
        label="Each row is"
        value={query.get('type') ?? ''}
        options={ROWS}
        onChoice={(type) => choose({ type })}
      />
      <Choice
        label="Fields are separated by"
        value={query.get('delimiter') ?? ''}
        options={DELIMITERS}
        onChoice={(delimiter) => choose({ delimiter })}
      />
      <Check
        label="Rows may have no time"
        isOn={query.get('untimed') === 'yes'}
        onChange={(isOn) => setParameters({ untimed: isOn ? 'yes' : undefined, check: undefined })}
      />
    </div>
  );
}

function Start({ body, isUsable }: { readonly body: Body; readonly isUsable: boolean }) {
  const { isBusy, error, run } = useChange();
  const { query } = address.value;
  const untimed = query.get('untimed') === 'yes';
  const check = query.get('check') ?? undefined;
  const checked = useImport(check);
  const isChecking = check !== undefined && (checked.value === undefined || !isOver(checked.value.state));
  const isChecked = check !== undefined && !isChecking;
  const start = async (isDry: boolean): Promise<ImportJob> =>
    ask(operation('POST /v1/admin/imports', { body: { ...body, untimed, dry_run: isDry } }));
  return (
    <section class="below" aria-label="Check and import">
      {error !== undefined && <Problem error={error} />}
      {check !== undefined && (
        <Ready of={checked} what="the check">
          {(job) => (
            <>
              <ImportState job={job} />
              <RefusedList job={job} />
            </>
          )}
        </Ready>
      )}
      <p class="row">
        <Button
          label={isChecking ? 'Checking…' : 'Check the whole file'}
          look={isChecked ? '' : 'primary'}
          disabled={isBusy || isChecking || !isUsable}
          onClick={() => run(async () => setParameters({ check: (await start(true)).id }))}
        />
        <Button
          label={`Import into ${project.value?.name ?? ''}`}
          look={isChecked ? 'primary' : ''}
          disabled={isBusy || !isUsable}
          onClick={() => run(async () => goTo(linkTo(['imports', (await start(false)).id])))}
        />
        <CopyAs request={operation('POST /v1/admin/imports', { body: { ...body, untimed } })} />
      </p>
      <p class="quiet small">The check imports nothing. It shows how many rows would be rejected, and why.</p>
    </section>
  );
}
