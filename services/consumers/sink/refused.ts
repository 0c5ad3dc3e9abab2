import type { Poison } from '../dead-letters.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Entry } from './batch.ts';

/** Inserts entries, any number of times. */
type Insert = (entries: readonly Entry[]) => Promise<void>;

/**
 * Inserts all entries but those that the store refuses whatever one does, which it returns: found by halving, so that a
 * few in 50,000 cost some 30 inserts.
 *
 * @throws whatever else `insert` throws.
 */
export async function insertUnlessRefused(entries: readonly Entry[], insert: Insert): Promise<readonly Poison[]> {
  try {
    await insert(entries);
    return [];
  } catch (error) {
    if (!hasCode(error, 'STORE_REJECTED')) throw error;
    const [only, another] = entries;
    if (only === undefined) throw error;
    if (another === undefined) return [{ topic: only.topic, partition: only.partition, record: only.record, error }];
    const middle = entries.length / 2;
    const refused = await insertUnlessRefused(entries.slice(0, middle), insert);
    return [...refused, ...(await insertUnlessRefused(entries.slice(middle), insert))];
  }
}
