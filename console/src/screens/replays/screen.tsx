/** `#/replays`: imports, one of them, a new one; `#/replays/rebuilds`: what is read again from the log. */
import './replays.css';
import { address, linkTo } from '../../frame/router.ts';
import { isAdmin } from '../../frame/session.ts';
import { NeedsAdmin } from '../../parts/needs-admin.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Generations } from './generations.tsx';
import { Imports } from './imports.tsx';
import { ImportPage } from './import-page.tsx';
import { NewImport } from './new-import.tsx';

export function Screen() {
  const [, part, id] = address.value.path;
  if (!isAdmin.value) return <OnlyForAdmins />;
  if (part === 'new') return <NewImport />;
  if (part === 'imports' && id !== undefined) return <ImportPage key={id} id={id} />;
  const isRebuilds = part === 'rebuilds';
  return (
    <div class="screen">
      <div class="head">
        <h1>Replays and imports</h1>
      </div>
      <Tabs
        label="Replays and imports"
        tabs={[
          { title: 'Imports', link: linkTo(['replays']), isOpen: !isRebuilds },
          { title: 'Replays', link: linkTo(['replays', 'rebuilds']), isOpen: isRebuilds },
        ]}
      />
      {isRebuilds ? <Generations /> : <Imports />}
    </div>
  );
}

function OnlyForAdmins() {
  return (
    <div class="screen">
      <div class="head">
        <h1>Replays and imports</h1>
      </div>
      <NeedsAdmin>Replays and imports concern the whole installation.</NeedsAdmin>
    </div>
  );
}
