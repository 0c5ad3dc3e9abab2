import { expect, onTestFinished, vi } from 'vitest';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { MESSAGE_TOPICS } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { overriding } from './projector.ts';
import { codec, type sinkBench } from './sink.ts';

export const PATIENCE = { timeout: 20_000, interval: 10 };
const quiet = createLogger('silent', { write: () => undefined });

type Bench = ReturnType<ReturnType<typeof sinkBench>>;

/** Both readers at work on one log, each of which refuses what has `unprocessable` in it while it is told to. */
export function refusingReaders(bench: Bench, database: Database): { refusing: { projector: boolean; sink: boolean } } {
  const refusing = { projector: false, sink: false };
  const refuse = (): never => {
    throw new TidemarkError('STORE_REJECTED', 'refused, as ordered');
  };
  bench.analytics.before = (_, rows) => {
    const isUnprocessable = [...rows.values()].flat().some((chunk) => Buffer.from(chunk).includes('unprocessable'));
    if (refusing.sink && isUnprocessable) refuse();
  };
  const store = new SqlProfileStore(database);
  const faulty = overriding(store, {
    write: (steps, claims, fold, tally) =>
      store.write(
        steps,
        claims,
        (counts) => {
          const changes = fold(counts);
          const isUnprocessable = changes.some(({ traits }) => [...traits.keys()].includes('unprocessable'));
          return refusing.projector && isUnprocessable ? refuse() : changes;
        },
        tally,
      ),
  });
  const projector = new Projector({ log: bench.log, codec, store: faulty, logger: quiet, repeatWindowMs: 60_000 });
  onTestFinished(() => projector.stop());
  projector.start();
  bench.run();
  return { refusing };
}

export async function bothCaughtUp(bench: Bench, database: Database): Promise<void> {
  await vi.waitFor(async () => {
    expect(await bench.hasCaughtUp()).toBe(true);
    const stands = await new SqlProfileStore(database).positions(bench.log.partitionsOf(MESSAGE_TOPICS));
    const read = stands.reduce((sum, { offset }) => sum + Number(offset), 0);
    const ends = await bench.log.ends(MESSAGE_TOPICS);
    expect(read).toBe(ends.reduce((sum, { offset }) => sum + Number(offset), 0));
  }, PATIENCE);
}
