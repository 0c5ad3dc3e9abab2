import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Action {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly error: ApiError | undefined;
  /** Runs one at a time. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** What a button does: busy while it runs, and with its refusal to show. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = (work: () => Promise<unknown>): void => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    void work()
      .catch((reason: unknown) => {
        if (!(reason instanceof ApiError)) throw reason;
        setError(reason);
      })
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
