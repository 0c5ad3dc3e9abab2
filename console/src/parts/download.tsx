import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, noAnswer } from '../api/client.ts';
import { count } from './numbers.ts';
import { Problem } from './loading/use-load.tsx';
import { useChange } from './loading/change.tsx';
import { Button } from './form.tsx';

interface DownloadProps {
  readonly label: string;
  /** What is counted while it runs: `users`. */
  readonly unit: string;
  /** Makes the file and saves it. What it resolves with is said beside the button. */
  readonly run: (tell: (lines: number) => void, signal: AbortSignal) => Promise<string | void>;
}

/** A button that makes a file, says how far it is, and can be stopped. */
export function Download({ label, unit, run: save }: DownloadProps) {
  const [lines, setLines] = useState(0);
  const [note, setNote] = useState<string>();
  const { isBusy, error, run } = useChange();
  const controller = useRef<AbortController>(undefined);
  const stop = (): void => controller.current?.abort();
  useEffect(() => stop, []);
  const start = (): void => {
    const { signal } = (controller.current = new AbortController());
    const fail = (failure: unknown): void => {
      if (!signal.aborted) throw failure instanceof ApiError ? failure : noAnswer();
    };
    setLines(0);
    run(async () => save(setLines, signal).then((said) => setNote(said ?? ''), fail));
  };
  if (isBusy) {
    return (
      <span class="row" role="status">
        <span class="quiet">
          {count(lines)} {unit}…
        </span>
        <Button label="Stop" look="plain" onClick={stop} />
      </span>
    );
  }
  return (
    <>
      {note !== undefined && <span class="quiet small">{note}</span>}
      <Button label={label} onClick={start} />
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
