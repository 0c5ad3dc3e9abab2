import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { CreatedKey } from '../../api/settings.ts';
import { textIn } from '../../parts/form.ts';
import { Problem } from '../../parts/states.tsx';
import { useChange } from '../../parts/use-change.ts';

const SCOPES = {
  write: 'Records messages',
  read: 'Reads everything of the project',
  audiences: 'Reads, and saves and changes audiences',
} as const;

export interface NewKeyProps {
  readonly path: string;
  /** False for admin keys, which have one scope. */
  readonly hasScopes: boolean;
  readonly onDone: (key: CreatedKey) => void;
  readonly onCancel: () => void;
}

export function NewKey({ path, hasScopes, onDone, onCancel }: NewKeyProps) {
  const { isBusy, error, run } = useChange();
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const name = textIn(event.currentTarget, 'name');
    const body = JSON.stringify({ ...(name !== '' && { name }), ...(hasScopes && { scopes }) });
    run(async () => onDone(await ask<CreatedKey>({ method: 'POST', path, body })));
  };
  return (
    <form class="card setting-form" aria-label="New key" onSubmit={submit}>
      <label>
        <span class="label">Name: who or what uses it</span>
        <input
          name="name"
          maxLength={200}
          placeholder={hasScopes ? 'Web shop' : 'Operators'}
          autoFocus
          autoComplete="off"
          required
        />
      </label>
      {hasScopes && <ScopeChoice scopes={scopes} onChoice={setScopes} />}
      {error !== undefined && <Problem error={error} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || (hasScopes && scopes.length === 0)}>
          Make the key
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface ScopeChoiceProps {
  readonly scopes: readonly string[];
  readonly onChoice: (scopes: readonly string[]) => void;
}

function ScopeChoice({ scopes, onChoice }: ScopeChoiceProps) {
  return (
    <fieldset>
      <legend class="label">What it opens</legend>
      {Object.entries(SCOPES).map(([scope, does]) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              onChoice(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          />
          <b>{scope}</b> <span class="quiet">{does}</span>
        </label>
      ))}
    </fieldset>
  );
}
