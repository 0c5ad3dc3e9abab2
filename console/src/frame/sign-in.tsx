import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { textIn } from '../parts/form.ts';
import { Mark } from './navigation.tsx';
import { signIn } from './session.ts';

export function SignIn() {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const key = textIn(event.currentTarget, 'key');
    setBusy(true);
    signIn(key).catch((failure: unknown) => {
      setBusy(false);
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    });
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <Mark />
        <h1>Sign in to Tidemark</h1>
        <label>
          <span class="label">Key</span>
          <input
            name="key"
            type="password"
            required
            autoFocus
            autoComplete="current-password"
            spellcheck={false}
            aria-describedby="key-help"
            aria-invalid={error !== undefined}
          />
        </label>
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error.message}
            {error.retryAfterS !== undefined && ` It may be tried again in ${error.retryAfterS} s.`}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <p class="quiet small" id="key-help">
          A key that may read opens its project, an admin key all of them. The first start of the service printed them;{' '}
          <code>tidemark key create --scope read</code> makes another. The browser does not keep the key: it gets a
          session of its own, which ends after 12 hours without use.
        </p>
      </form>
    </main>
  );
}
