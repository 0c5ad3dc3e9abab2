/** A line at the bottom that says what was done, for a moment. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const newest = signal<{ readonly text: string } | undefined>(undefined);

const SHOWN_MS = 4_000;

/** @param text A whole sentence, short: `Saved.` */
export function tellDone(text: string): void {
  newest.value = { text };
}

export function Feedback() {
  const done = newest.value;
  useEffect(() => {
    const timer = setTimeout(() => (newest.value = undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <div class="feedback" role="status">
      {done !== undefined && <p>{done.text}</p>}
    </div>
  );
}
