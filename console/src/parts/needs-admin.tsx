import type { ComponentChildren } from 'preact';
import { session } from '../frame/session.ts';
import { Empty } from './loading/states.tsx';

/** In place of what belongs to the whole installation, for a key of one project. @param children What is not shown. */
export function NeedsAdmin({ children }: { readonly children: ComponentChildren }) {
  const scopes = typeof session.value === 'object' ? session.value.scopes.join(', ') : '';
  return (
    <Empty title="This needs an admin key">
      <p>{children}</p>
      <p class="below">
        The key of this session opens <code>{scopes}</code>. On the machine of the service,{' '}
        <code>tidemark key create --scope admin</code> makes an admin key.
      </p>
    </Empty>
  );
}
