/** The shop of the demo with what the tasks are about: a letter, what was rejected, audiences, and who receives webhooks. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, recordOf } from '../../support/messages/messages.ts';
import { appendToOwnLog } from '../../support/service/own-log.ts';
import type { BrowserName } from '../browser.ts';
import { ADMIN_KEY, Scene } from '../scene.ts';

export interface Shop {
  readonly scene: Scene;
  readonly browser: BrowserName;
  /** Ids of audiences: of one whose users leave by time, and of one whose newest version is a mistake. */
  readonly cart: string;
  readonly mistaken: string;
  /** Somebody with an email, and somebody to be forgotten. */
  readonly known: Customer;
  readonly forgotten: string;
  /** Where webhooks are sent. */
  readonly hook: string;
  readonly close: () => Promise<void>;
}

interface Customer {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** As `npm run demo` has it. */
const DEMO_SEED = 1;

/** @param users As many the shop has. */
export async function openShop(users: number, browser: BrowserName): Promise<Shop> {
  const scene = await Scene.open({ users, seed: DEMO_SEED, browser });
  const { service } = scene;
  const receiver = createServer((_, answer) => answer.end('ok')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await Promise.all([putLetter(scene), reject(scene)]);
  const { audiences } = await service.ask<{ audiences: readonly Named[] }>('/v1/audiences');
  const cart = audiences.find(({ name }) => name.startsWith('Left a full cart'))?.id ?? '';
  const [known, forgotten] = await someUsers(scene);
  const close = async (): Promise<void> => {
    receiver.close();
    await scene.close();
  };
  return {
    scene,
    browser,
    cart,
    mistaken: await saveMistake(scene),
    known,
    forgotten: forgotten.user_id,
    hook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    close,
  };
}

/** A message that no store takes: its user id has a character that no text of Postgres can have. */
async function putLetter({ service, dataDir }: Scene): Promise<void> {
  const { projects } = await service.ask<{ projects: readonly Named[] }>('/v1/admin/projects', undefined, {
    key: ADMIN_KEY,
  });
  const projectId = projects.find(({ name }) => name === 'default')?.id ?? '';
  const letter = identify({ projectId, userId: 'max\0', messageId: 'refused-max', traits: '{"plan":"pro"}' });
  await appendToOwnLog(dataDir, [{ topic: 'tidemark.identify', ...recordOf(letter) }]);
  await untilSome(async () => {
    const path = `/v1/admin/dead-letters?project=${projectId}`;
    return (await service.ask<{ dead_letters: readonly object[] }>(path, undefined, { key: ADMIN_KEY })).dead_letters;
  });
}

async function someUsers({ service }: Scene): Promise<readonly [Customer, Customer]> {
  const { users } = await service.ask<{ users: readonly { user_id: string }[] }>('/v1/users?prefix=u-000&limit=2');
  const [known, other] = await Promise.all(
    users.map(async ({ user_id }) => {
      const { traits } = await service.ask<{ traits: Omit<Customer, 'user_id'> }>(`/v1/users/${user_id}`);
      return { user_id, ...traits };
    }),
  );
  if (known === undefined || other === undefined) throw new Error('The shop has too few users.');
  return [known, other];
}

async function reject({ service }: Scene): Promise<void> {
  for (let times = 0; times < 4; times++)
    await service.request('/v1/identify', { user_id: 'u-00001', traits: '{"plan":"pro"}' });
  await untilSome(async () => (await service.ask<{ refusals: readonly object[] }>('/v1/refusals')).refusals);
}

/** Those who pay, and then, by mistake, nobody. */
async function saveMistake({ service }: Scene): Promise<string> {
  const body = { name: 'Paying customers', definition: { trait: 'plan', in: ['plus', 'pro'] } };
  const { id } = await service.ask<Named>('/v1/audiences', body);
  await service.ask(`/v1/audiences/${id}/evaluate`, {});
  await service.ask(`/v1/audiences/${id}`, { definition: { trait: 'plan', is: 'Pro' } }, { method: 'PATCH' });
  return id;
}

const LONGEST_MS = 60_000;

/** Until there is at least one. */
export async function untilSome(found: () => Promise<readonly unknown[]>): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while ((await found()).length === 0) {
    if (performance.now() > end) throw new Error('What the tasks are about did not come.');
    await delay(200);
  }
}
