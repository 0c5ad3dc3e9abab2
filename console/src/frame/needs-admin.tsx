import { Empty } from '../parts/loading/states.tsx';
import { session } from './session.ts';

/** In place of what belongs to the whole installation, for a key of one project. */
export function NeedsAdmin() {
  const scopes = typeof session.value === 'object' ? session.value.scopes.join(', ') : '';
  return (
    <Empty title="This needs an admin key">
      It shows the whole installation, and your key has the permissions <code>{scopes}</code>. On the machine of the
      service, <code>tidemark key create --scope admin</code> makes an admin key.
    </Empty>
  );
}
