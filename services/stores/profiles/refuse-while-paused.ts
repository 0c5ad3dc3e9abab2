import type { Queryable } from '../database/database.ts';
import type { GenerationKind } from '../generations/generation.ts';
import { TidemarkError } from '../../runtime/errors.ts';

/**
 * To be asked first in every transaction that moves a reader of this generation. Whoever holds the generation still, or
 * drops it, waits for the transactions under way (`for share`), and finds none beginning after that.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE`, retryable: held for a moment, while the generations are swapped; or dropped,
 *   and then the reader is about to be stopped.
 */
export async function refuseWhilePaused(transaction: Queryable, kind: GenerationKind, number: number): Promise<void> {
  const [generation] = await transaction.query<{ readonly is_fed: boolean; readonly is_held: boolean }>(
    `select state in ('building', 'built') as is_fed,
            held_until_ms > (extract(epoch from clock_timestamp()) * 1000)::int8 as is_held
     from generations
     where kind = $1 and number = $2
     for share`,
    [kind, number],
  );
  if (generation?.is_fed === true && !generation.is_held) return;
  const why = generation?.is_fed === true ? 'held still' : 'dropped';
  throw new TidemarkError('STORE_UNAVAILABLE', `generation ${number} of ${kind} is ${why}`);
}
