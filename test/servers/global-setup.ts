import { Keeper } from './keeper.ts';
import { KEEPER_VARIABLE } from './server.ts';

/** Called by vitest once before a run; what it returns, once after. The processes of the tests inherit the environment. */
export async function setup(): Promise<() => Promise<void>> {
  const keeper = new Keeper();
  process.env[KEEPER_VARIABLE] = await keeper.listen();
  return () => keeper.stop();
}
