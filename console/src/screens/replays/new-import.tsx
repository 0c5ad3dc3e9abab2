import { useState } from 'preact/hooks';
import { address, goTo, linkTo } from '../../api/address.ts';
import { ChooseFile } from '../../parts/files/drop.tsx';
import { Button, Field, submitted } from '../../parts/form.tsx';
import { bytes } from '../../parts/numbers.ts';
import { Problem, useLoad } from '../../parts/loading/use-load.tsx';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { MapColumns } from './map-columns.tsx';
import { ApiError, ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { ImportFile } from '../../api/types.ts';

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
