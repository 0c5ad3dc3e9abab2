import type { SizedStore } from '../../../services/operations/status/disk.ts';
import type { Queryable } from '../../../services/stores/database/database.ts';

const HOUR_MS = 3_600_000;

/** Notes what a store took at these hours before now. */
export async function plantSizes(
  database: Queryable,
  store: SizedStore,
  sizes: readonly (readonly [hoursAgo: number, bytes: number])[],
): Promise<void> {
  const nowMs = Date.now();
  await database.query(
    `insert into store_sizes (store, noted_at_ms, bytes)
     select $1::text, at, bytes from unnest($2::int8[], $3::int8[]) as given (at, bytes)`,
    [store, sizes.map(([hours]) => nowMs - hours * HOUR_MS), sizes.map(([, bytes]) => bytes)],
  );
}

/** What it took every hour from that many hours ago until now. */
export function hourly(hours: number, bytesAt: (hour: number) => number): readonly (readonly [number, number])[] {
  return Array.from({ length: hours + 1 }, (_, hour) => [hours - hour, bytesAt(hour)] as const);
}
