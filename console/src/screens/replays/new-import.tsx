import { useRef, useState } from 'preact/hooks';
import { address, goTo, linkTo, setParameters } from '../../api/address.ts';
import { Button, Field, submitted } from '../../parts/form.tsx';
import { bytes } from '../../parts/numbers.ts';
import { useLoad } from '../../parts/loading/use-load.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { MapColumns } from './map-columns.tsx';
import { uploadFile } from './upload.ts';

/** `#/imports/new`: a file is chosen; with `?file=` or `?path=`, how it is read. */
export function NewImport() {
  const { query } = address.value;
  const [file, path] = [query.get('file') ?? undefined, query.get('path') ?? undefined];
  const isChosen = file !== undefined || path !== undefined;
  return (
    <ScreenPage
      title={isChosen ? (query.get('name') ?? path) : 'Import a file'}
      up={{ path: 'imports', name: 'Imports' }}
      actions={isChosen && <LinkButton label="Choose another file" link={linkTo(['imports', 'new'])} />}
    >
      {isChosen ? (
        <MapColumns key={file ?? path} source={file === undefined ? { path: path ?? '' } : { file }} />
      ) : (
        <Choose />
      )}
    </ScreenPage>
  );
}

function Choose() {
  const [uploading, setUploading] = useState<File>();
  if (uploading !== undefined) return <Uploading file={uploading} onCancel={() => setUploading(undefined)} />;
  return (
    <>
      <DropZone onFile={setUploading} />
      <PathForm />
      <p class="quiet below">Nothing is imported yet. Next, you see the first rows and say what each column is.</p>
    </>
  );
}

function DropZone({ onFile }: { readonly onFile: (file: File | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer?.files[0]);
  };
  return (
    <div class={`drop ${isOver ? 'over' : ''}`} onDragOver={drag} onDragLeave={() => setOver(false)} onDrop={drop}>
      <h2>Drop a file here</h2>
      <p class="quiet">CSV, or JSON with one object per line, up to 64 GB. Gzip works too.</p>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="File to import"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      <Button label="Choose a file" look="primary" onClick={() => input.current?.click()} />
    </div>
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

function Uploading({ file, onCancel }: { readonly file: File; readonly onCancel: () => void }) {
  const [arrived, setArrived] = useState(0);
  const { error, retry } = useLoad('upload', async (signal) => {
    const { id, name } = await uploadFile(file, setArrived, signal);
    setParameters({ file: id, name }, { push: true });
  });
  if (error !== undefined) return <Problem error={error} retry={retry} />;
  return (
    <div class="drop" role="status">
      <h2>Uploading {file.name}</h2>
      <progress aria-label="Uploaded" max={Math.max(file.size, 1)} value={arrived} />
      <p class="quiet">
        {bytes(arrived)} of {bytes(file.size)}
      </p>
      <Button label="Cancel" onClick={onCancel} />
    </div>
  );
}
