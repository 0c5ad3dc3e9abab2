import { Loading, Problem } from './states.tsx';
import type { Pages } from './use-pages.ts';

interface MoreProps {
  readonly pages: Omit<Pages<unknown>, 'items'>;
  /** What is loaded: `keys`. */
  readonly what: string;
}

/** Below a list of `usePages`: that it loads, why it did not, or the button for the next page. */
export function More({ pages: { isEnd, isLoading, error, more }, what }: MoreProps) {
  if (isLoading) return <Loading what={what} />;
  if (error !== undefined) return <Problem error={error} retry={more} />;
  if (isEnd) return null;
  return (
    <button type="button" class="below" onClick={more}>
      Load more
    </button>
  );
}
