import { ask } from '../api/client.ts';
import { countOf, type RawNumber } from '../api/json.ts';
import { operation } from '../../../schemas/operations.ts';
import { count } from '../parts/numbers.ts';
import { usePoll } from '../parts/loading/use-poll.ts';

const EVERY_MS = 30_000;

/** What a screen has that wants a look, by its path: undefined where it cannot be found out. */
const WAITING = {
  live: {
    what: 'rejected today',
    find: async (signal: AbortSignal) => (await ask({ ...operation('GET /v1/status'), signal })).refused_today,
  },
  'dead-letters': {
    what: 'waiting',
    find: async (signal: AbortSignal) =>
      (await ask({ ...operation('GET /v1/admin/status'), signal })).dead_letters?.messages,
  },
} as const satisfies Record<
  string,
  { what: string; find: (signal: AbortSignal) => Promise<RawNumber | null | undefined> }
>;

/** How many there are beside the name of a screen; nothing without any, or where it cannot be found out. */
export function Badge({ path }: { readonly path: string }) {
  return path in WAITING ? <Count {...WAITING[path as keyof typeof WAITING]} /> : null;
}

function Count({ what, find }: (typeof WAITING)[keyof typeof WAITING]) {
  const { value } = usePoll<RawNumber | null | undefined>(what, find, EVERY_MS);
  const found = value ? countOf(value) : 0;
  if (found === 0) return null;
  return (
    <span class="badge mended">
      {count(found)}
      <span class="visually-hidden"> {what}</span>
    </span>
  );
}
