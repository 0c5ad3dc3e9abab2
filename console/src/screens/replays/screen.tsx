/** `#/replays`: imports, one of them, a new one; `#/replays/rebuilds`: what is read again from the log. */
import './replays.css';
import { address, linkTo } from '../../frame/router.ts';
import { session } from '../../frame/session.ts';
import { Empty } from '../../parts/states.tsx';
import { Generations } from './generations.tsx';
import { Imports } from './imports.tsx';
import { ImportPage } from './import-page.tsx';
import { NewImport } from './new-import.tsx';

export function Screen() {
  const [, part, id] = address.value.path;
  const isAdmin = typeof session.value === 'object' && session.value.scopes.includes('admin');
  if (!isAdmin) return <OnlyForAdmins />;
  if (part === 'new') return <NewImport />;
  if (part === 'imports' && id !== undefined) return <ImportPage key={id} id={id} />;
  const isRebuilds = part === 'rebuilds';
  return (
    <div class="screen">
      <div class="head">
        <h1>Replays and imports</h1>
        <nav class="tabs" aria-label="Replays and imports">
          <a href={linkTo(['replays'])} aria-current={isRebuilds ? undefined : 'page'}>
            Imports
          </a>
          <a href={linkTo(['replays', 'rebuilds'])} aria-current={isRebuilds ? 'page' : undefined}>
            Replays
          </a>
        </nav>
      </div>
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
      <Empty title="This needs an admin key">
        <p>
          Imports and replays concern the whole installation. Sign in with a key that has the scope <code>admin</code>:{' '}
          <code>tidemark key create --scope admin</code> makes one.
        </p>
      </Empty>
    </div>
  );
}
