/** What each store takes, noted every hour, and how fast it grows by that. */
import type { Database } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import type { DiskRoom, SizedStore, StoredBytes } from './disk.ts';

const ONE_DAY_MS = 86_400_000;
const NOTES_KEPT_MS = 7 * ONE_DAY_MS;
/** A disk that lasts longer at this rate is not said to become full. */
const MOST_DAYS = 36_500;

export interface StoreGrowth {
  /** Below 0 where it shrinks. */
  readonly bytesADay: number;
  /** The first of the notes that this is by. */
  readonly sinceMs: number;
}

export interface NotedStore {
  /** When it was noted last. */
  readonly bytes: number;
  /** Null before there are notes of a whole day. */
  readonly growth: StoreGrowth | null;
}

/** Without the stores of which nothing was noted within seven days. */
export type NotedStores = Partial<Readonly<Record<SizedStore, NotedStore>>>;

/** Notes what is known of these sizes, and forgets notes of more than seven days ago. */
export async function noteSizes(database: Database, sizes: StoredBytes): Promise<StoredBytes> {
  const known = Object.entries(sizes).filter(([, bytes]) => bytes !== null);
  await database.query(
    `insert into store_sizes (store, noted_at_ms, bytes)
     select store, ${NOW_MS}, bytes from unnest($1::text[], $2::int8[]) as given (store, bytes)
     on conflict do nothing`,
    [known.map(([store]) => store), known.map(([, bytes]) => bytes)],
  );
  await database.query(`delete from store_sizes where noted_at_ms <= ${NOW_MS} - $1::int8`, [NOTES_KEPT_MS]);
  return sizes;
}

export async function notedStores(database: Database): Promise<NotedStores> {
  const rows = await database.query<NotedRow>(NOTED, [NOTES_KEPT_MS, ONE_DAY_MS]);
  return Object.fromEntries(
    rows.map(({ store, bytes, since_ms: sinceMs, bytes_a_day: bytesADay }) => {
      const growth = bytesADay === null ? null : { bytesADay: Math.round(bytesADay), sinceMs: Number(sinceMs) };
      return [store, { bytes: Number(bytes), growth }];
    }),
  );
}

/**
 * When nothing is free on a disk that the stores on it fill as they grow now: milliseconds since 1970. Null where they do not
 * grow, where that is not known of one of them, where no store is on it, and where it lasts for more than a century.
 */
export function fullAtMs({ freeBytes, stores }: DiskRoom, noted: NotedStores, nowMs: number): number | null {
  const rates = stores.map((store) => noted[store]?.growth?.bytesADay ?? Number.NaN);
  const days = freeBytes / rates.reduce((sum, rate) => sum + rate, 0);
  return days >= 0 && days < MOST_DAYS ? Math.round(nowMs + days * ONE_DAY_MS) : null;
}

interface NotedRow {
  readonly store: SizedStore;
  readonly bytes: bigint;
  readonly since_ms: bigint;
  readonly bytes_a_day: number | null;
}

// The line through the notes, as merges and rewritten files make a store smaller for a while. It begins after the last fall by a
// tenth and a gigabyte: something was deleted, by which nothing will grow less from then on.
const NOTED = `
  with noted as (
    select store, noted_at_ms as at, bytes, lag(bytes) over (partition by store order by noted_at_ms) as before
    from store_sizes
    where noted_at_ms > ${NOW_MS} - $1::int8
  ), begun as (
    select *, max(at) filter (where bytes < before - greatest(before / 10, 1073741824)) over (partition by store) as from_ms
    from noted
  )
  select store, min(at) as since_ms, (array_agg(bytes order by at desc))[1] as bytes,
         case when max(at) - min(at) >= $2::int8 then regr_slope(bytes, at) * $2::int8 end as bytes_a_day
  from begun
  where from_ms is null or at >= from_ms
  group by store`;
