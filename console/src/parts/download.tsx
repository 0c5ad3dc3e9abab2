import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, noAnswer } from '../api/client.ts';
import { count } from './numbers.ts';
import { Problem } from './loading/states.tsx';
import { Button } from './form.tsx';

interface DownloadProps {
  readonly label: string;
  /** What is counted while it runs: `users`. */
  readonly unit: string;
  /** Makes the file and saves it. */
  readonly run: (tell: (lines: number) => void, signal: AbortSignal) => Promise<void>;
}

type State =
  | { readonly is: 'idle' }
  | { readonly is: 'running'; readonly lines: number }
  | { readonly is: 'failed'; readonly error: ApiError };

/** A button that makes a file, says how far it is, and can be stopped. */
export function Download({ label, unit, run }: DownloadProps) {
  const [state, setState] = useState<State>({ is: 'idle' });
  const controller = useRef<AbortController>(undefined);
  const stop = (): void => controller.current?.abort();
  useEffect(() => stop, []);
  const start = (): void => {
    const { signal } = (controller.current = new AbortController());
    const finish = (next: State): void => {
      if (controller.current?.signal === signal) setState(signal.aborted ? { is: 'idle' } : next);
    };
    setState({ is: 'running', lines: 0 });
    run((lines) => finish({ is: 'running', lines }), signal).then(
      () => finish({ is: 'idle' }),
      (error: unknown) => finish({ is: 'failed', error: error instanceof ApiError ? error : noAnswer() }),
    );
  };
  if (state.is === 'running') {
    return (
      <span class="row" role="status">
        <span class="quiet">
          {count(state.lines)} {unit}…
        </span>
        <Button label="Stop" look="plain" onClick={stop} />
      </span>
    );
  }
  return (
    <>
      <Button label={label} onClick={start} />
      {state.is === 'failed' && <Problem error={state.error} />}
    </>
  );
}
