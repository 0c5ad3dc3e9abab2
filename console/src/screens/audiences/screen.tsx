import { address, linkTo } from '../../frame/router.ts';
import { BuilderScreen } from '../builder/builder-screen.tsx';

/** `#/audiences/new` and `#/audiences/{id}/edit`: the builder. */
export function Screen() {
  const [, id, below] = address.value.path;
  if (id === 'new') return <BuilderScreen key="new" />;
  if (id !== undefined && below === 'edit') return <BuilderScreen key={id} id={id} />;
  return (
    <div class="screen">
      <div class="head">
        <h1>Audiences</h1>
        <div class="row actions">
          {id !== undefined && (
            <a class="button" href={linkTo(['audiences', id, 'edit'])}>
              Edit
            </a>
          )}
          <a class="button" href={linkTo(['audiences', 'new'])}>
            New audience
          </a>
        </div>
      </div>
    </div>
  );
}
