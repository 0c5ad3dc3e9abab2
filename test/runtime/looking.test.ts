import { expect, test } from 'vitest';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { Looking } from '../../services/runtime/looking.ts';

type Look = () => Promise<boolean>;

/** Looks, one after another; the last of them ends it. */
async function looked(...looks: readonly Look[]): Promise<readonly unknown[]> {
  const warnings: unknown[] = [];
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  const all = Promise.withResolvers<void>();
  const waiting = [...looks];
  const look: Look = () => {
    const next = waiting.shift();
    if (next !== undefined) return next();
    all.resolve();
    return Promise.resolve(false);
  };
  const looking = new Looking({ look, everyMs: 1, cannot: 'nothing can be done', logger });
  looking.start();
  looking.start();
  await all.promise;
  await looking.stop();
  return warnings;
}

const found = async (): Promise<boolean> => true;
const nothing = async (): Promise<boolean> => false;
const failed = (error: Error) => async (): Promise<boolean> => {
  throw error;
};

test('it goes on after a failure, and logs one failure of several in a row', async () => {
  const [one, other] = [new Error('one'), new Error('other')];

  const warnings = await looked(failed(one), failed(other), nothing, failed(other), found);

  expect(warnings).toEqual([one, other].map((err) => [{ err }, 'nothing can be done now']));
});

test('a failure since the stores are closed is not logged', async () => {
  expect(await looked(failed(new TidemarkError('STOPPING', 'analytics is being closed')))).toEqual([]);
});

test('a stop waits for the look under way, which learns of it, and no other follows', async () => {
  const begun = Promise.withResolvers<void>();
  let looks = 0;
  let hasFailed = false;
  const look = async (stopping: AbortSignal): Promise<boolean> => {
    looks++;
    begun.resolve();
    await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
    hasFailed = true;
    return true;
  };
  const looking = new Looking({ look, everyMs: 1, cannot: 'x', logger: { warn: () => undefined } });
  looking.start();
  await begun.promise;
  await looking.stop();

  expect([looks, hasFailed]).toEqual([1, true]);
});
