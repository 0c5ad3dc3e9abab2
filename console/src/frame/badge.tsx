import type { ComponentChildren } from 'preact';
import { countOf, type RawNumber } from '../api/json.ts';
import type { Raw } from '../api/types.ts';
import { operation, type Request } from '../api/client.ts';
import { count } from '../parts/numbers.ts';
import { POLL_MS, useAnswer } from '../parts/loading/use-load.tsx';

/** What a screen has that wants a look, by its path. */
const WAITING: Readonly<Record<string, () => ComponentChildren>> = {
  live: () => (
    <Count what="rejected" when="today" request={operation('GET /v1/status')} find={(status) => status.refused_today} />
  ),
  'dead-letters': () => (
    <Count
      what="failed"
      when="waiting"
      request={operation('GET /v1/admin/status')}
      find={({ dead_letters: waiting }) => waiting?.messages}
    />
  ),
};

/** How many there are beside the name of a screen; nothing without any, or where it cannot be found out. */
export function Badge({ path }: { readonly path: string }) {
  return <>{WAITING[path]?.()}</>;
}

interface CountProps<T> {
  readonly what: string;
  /** Left out where there is little room. */
  readonly when: string;
  readonly request: Request<T>;
  readonly find: (answer: Raw<T>) => RawNumber | null | undefined;
}

function Count<T>({ what, when, request, find }: CountProps<T>) {
  const { value } = useAnswer(request, POLL_MS.idle);
  const waiting = value === undefined ? undefined : find(value);
  const found = waiting ? countOf(waiting) : 0;
  if (found === 0) return null;
  return (
    <span class="badge mended">
      {count(found)} {what}
      <span class="visually-hidden"> {when}</span>
    </span>
  );
}
