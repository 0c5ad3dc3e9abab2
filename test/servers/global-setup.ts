import { KEEPER_VARIABLE } from './ask-keeper.ts';
import { Keeper } from './keeper.ts';

/**
 * Called by vitest before a run, once for each of its projects, which share one keeper; what it returns, after the run. The
 * processes of the tests inherit the environment.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[KEEPER_VARIABLE] !== undefined) return undefined;
  const keeper = new Keeper();
  process.env[KEEPER_VARIABLE] = await keeper.listen();
  return () => keeper.stop();
}
