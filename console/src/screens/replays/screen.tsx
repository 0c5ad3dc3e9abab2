/** `#/replays`: what is read again from the log. `#/imports`: files of history; one of them, and a new one. */
import './replays.css';
import { operation } from '../../../../schemas/operations.ts';
import { address } from '../../api/address.ts';
import { ScreenPage } from '../../parts/page.tsx';
import { Generations } from './generations.tsx';
import { ImportAFile, Imports } from './imports.tsx';
import { ImportPage } from './import-page.tsx';
import { NewImport } from './new-import.tsx';

export function ReplaysScreen() {
  return (
    <ScreenPage
      title="Replays"
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

export function ImportsScreen() {
  const [, id] = address.value.path;
  if (id === 'new') return <NewImport />;
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
