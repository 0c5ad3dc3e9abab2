import type { ComponentChildren } from 'preact';
import { Loading, Problem } from './states.tsx';
import type { Pages } from './use-pages.ts';
import { Button } from '../form.tsx';

interface MoreProps {
  readonly pages: Pages<unknown>;
  /** What is loaded: `keys`. */
  readonly what: string;
  /** Where there is nothing at all. */
  readonly none?: ComponentChildren;
  /** Below the last of them. */
  readonly end?: string;
}

/** Below a list of `usePages`: that it loads, why it did not, the button for the next page, or that this is the end. */
export function More({ pages: { items, isEnd, isLoading, error, more }, what, none, end }: MoreProps) {
  if (isLoading) return <Loading what={what} />;
  if (error !== undefined) return <Problem error={error} retry={more} />;
  if (isEnd && items.length === 0) return <>{none}</>;
  if (isEnd) return end === undefined ? null : <p class="quiet below">{end}</p>;
  return <Button label="Load more" look="below" onClick={more} />;
}
