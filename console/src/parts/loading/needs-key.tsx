import { Empty } from './use-load.tsx';
import { signedIn } from '../../api/session.ts';

/** In place of what the key does not open. @param permission What it would have to have. */
export function NeedsKey({ permission = 'admin' }: { readonly permission?: 'admin' | 'audiences' | undefined }) {
  const scopes = signedIn.value?.scopes.join(', ');
  const isAdmin = permission === 'admin';
  return (
    <Empty title={isAdmin ? 'This needs an admin key' : 'This needs another key'}>
      {isAdmin ? 'It shows the whole installation' : `It takes the permission ${permission}`}, and your key has the
      permissions <code>{scopes}</code>. On the machine of the service,{' '}
      <code>./tidemark key create --scope {permission}</code> makes one.
    </Empty>
  );
}
