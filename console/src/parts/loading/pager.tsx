import { address, linkTo } from '../../frame/router.ts';

interface PagerProps {
  /** The cursor of the page that follows; null where none does. */
  readonly next: string | null;
  /** The parameter of the address that has the cursor, where a screen has several lists. */
  readonly name?: string;
}

/** Links to the first page and to the next one; which one is shown is in the address. */
export function Pager({ next, name = 'cursor' }: PagerProps) {
  const { path, query } = address.value;
  const others = Object.fromEntries(query);
  if (!query.has(name) && next === null) return null;
  return (
    <p class="row below">
      {query.has(name) && (
        <a class="button" href={linkTo(path, { ...others, [name]: undefined })}>
          First page
        </a>
      )}
      {next !== null && (
        <a class="button" href={linkTo(path, { ...others, [name]: next })}>
          Next page
        </a>
      )}
    </p>
  );
}
