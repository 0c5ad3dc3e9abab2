import { linkTo } from '../../frame/router.ts';

interface PagesProps {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** The parameter that says which page is there. */
  readonly name: string;
  /** Of the page that is there; undefined for the first. */
  readonly current: string | undefined;
  readonly next: string | null;
  readonly words: readonly [first: string, next: string];
}

/** Links to the first page and to the next. */
export function Pages({ path, query, name, current, next, words: [first, more] }: PagesProps) {
  if (current === undefined && next === null) return null;
  return (
    <p class="row below">
      {current !== undefined && (
        <a class="button" href={linkTo(path, { ...query, [name]: undefined })}>
          {first}
        </a>
      )}
      {next !== null && (
        <a class="button" href={linkTo(path, { ...query, [name]: next })}>
          {more}
        </a>
      )}
    </p>
  );
}
