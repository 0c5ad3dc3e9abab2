import { address, linkTo } from '../frame/router.ts';

export interface PagerProps {
  /** The cursor of the page that follows; null where none does. */
  readonly next: string | null;
}

/** Links to the first page and to the next one; which one is shown is the `cursor` of the address. */
export function Pager({ next }: PagerProps) {
  const { path, query } = address.value;
  const { cursor, ...others } = Object.fromEntries(query);
  if (cursor === undefined && next === null) return null;
  return (
    <p class="row below">
      {cursor !== undefined && (
        <a class="button" href={linkTo(path, others)}>
          First page
        </a>
      )}
      {next !== null && (
        <a class="button" href={linkTo(path, { ...others, cursor: next })}>
          Next page
        </a>
      )}
    </p>
  );
}
