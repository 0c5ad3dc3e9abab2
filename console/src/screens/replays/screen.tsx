/** `#/replays`: what is read again from the log. `#/imports`: files of history; one of them, and a new one. */
import './replays.css';
import { address } from '../../frame/router.ts';
import { isAdmin } from '../../frame/session.ts';
import { NeedsAdmin } from '../../parts/needs-admin.tsx';
import { Generations } from './generations.tsx';
import { Imports } from './imports.tsx';
import { ImportPage } from './import-page.tsx';
import { NewImport } from './new-import.tsx';

export function Screen() {
  return (
    <div class="screen">
      <div class="head">
        <h1>Replays</h1>
      </div>
      {isAdmin.value ? <Generations /> : <NeedsAdmin>Replays concern the whole installation.</NeedsAdmin>}
    </div>
  );
}

export function ImportsScreen() {
  const [, id] = address.value.path;
  if (isAdmin.value && id === 'new') return <NewImport />;
  if (isAdmin.value && id !== undefined) return <ImportPage key={id} id={id} />;
  return (
    <div class="screen">
      <div class="head">
        <h1>Imports</h1>
        <p class="quiet">History from files. It never overwrites what is newer.</p>
      </div>
      {isAdmin.value ? <Imports /> : <NeedsAdmin>Imports concern the whole installation.</NeedsAdmin>}
    </div>
  );
}
