import type { ServerName } from './server.ts';

/** Where the test run's keeper listens (`global-setup.ts`); the processes of the tests inherit it. */
export const KEEPER_VARIABLE = 'TEST_SERVERS_KEEPER';

/** `stores` is the folder of new stores (`stores.ts`), for copies. */
export async function askKeeper(name: ServerName | 'stores'): Promise<{ status: number; text: string }> {
  const keeper = process.env[KEEPER_VARIABLE];
  if (keeper === undefined) return { status: 503, text: 'run by vitest, whose global setup starts servers' };
  const response = await fetch(new URL(name, keeper));
  return { status: response.status, text: await response.text() };
}
