import type { Queryable } from '../database/database.ts';
import { ALL_TIME, erasedName, type ErasedUsers } from './erased-users.ts';

interface ErasedRow extends Record<string, unknown> {
  readonly project_id: string;
  readonly user_key: string;
  readonly cut_us: bigint | null;
}

/** Everybody who was ever forgotten. @throws TidemarkError `STORE_UNAVAILABLE`. */
export async function readErasedUsers(database: Queryable): Promise<ErasedUsers> {
  const erased = new Map<string, bigint>();
  for (const row of await database.query<ErasedRow>('select project_id, user_key, cut_us from erasures')) {
    const name = erasedName(row.project_id, row.user_key);
    const cut = row.cut_us ?? ALL_TIME;
    if (cut > (erased.get(name) ?? -ALL_TIME)) erased.set(name, cut);
  }
  return erased;
}
