import { useState } from 'preact/hooks';
import { type ApiError, refusalIn } from '../../api/client.ts';

export interface Change {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly error: ApiError | undefined;
  /** Runs one change at a time; another while it runs is passed over. */
  readonly run: (change: () => Promise<unknown>) => void;
}

/** What a form needs while the service makes a change: whether it does, and why it did not. */
export function useChange(): Change {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = (change: () => Promise<unknown>): void => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    change()
      .catch((failure: unknown) => setError(refusalIn(failure)))
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
