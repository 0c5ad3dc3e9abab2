import { Button, Field, submitted } from '../parts/form.tsx';
import { useChange } from '../parts/loading/change.tsx';
import { Mark } from './navigation.tsx';
import { signIn } from '../api/session.ts';

export function SignIn() {
  const { isBusy, error, run } = useChange();
  return (
    <main class="sign-in">
      <form onSubmit={submitted((textOf) => run(async () => signIn(textOf('key'))))}>
        <Mark />
        <h1>Sign in to Tidemark</h1>
        <Field
          label="Key"
          name="key"
          type="password"
          required
          isFirst
          autoComplete="current-password"
          spellcheck={false}
          aria-describedby="key-help"
          aria-invalid={error !== undefined}
        />
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error.message}
            {error.retryAfterS !== undefined && ` Try again in ${error.retryAfterS} s.`}
          </p>
        )}
        <Button label={isBusy ? 'Signing in…' : 'Sign in'} type="submit" look="primary" disabled={isBusy} />
        <p class="quiet small" id="key-help">
          The service printed its keys when it first started; <code>./tidemark key create --scope read</code> makes
          another. This browser does not keep the key.
        </p>
      </form>
    </main>
  );
}
