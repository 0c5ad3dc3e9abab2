/** The way out of data that a wrong clock dated in the future. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { ask } from '../../support/stores/analytics.ts';
import { newStores } from '../../support/stores/new-stores.ts';
import { codec, identify, session, track } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { ReplayScene } from '../../support/service/replay-scene.ts';

const YEAR = 31_536_000_000_000n;
// A process looks once a second which generation is live.
const SOON = { timeout: 20_000 };
const KINDS = ['profiles', 'analytics'] as const;

const projectId = randomProjectId();
const ada = { projectId, userId: 'ada' };
const now = BigInt(Date.now()) * 1000n;
const asOf = formatMicros(now);
let folder: string;
let scene: ReplayScene;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  scene = await ReplayScene.open(await newStores(folder));
  scene.startReaders();
  await scene.append([
    identify({ ...ada, receivedAt: now - 2_000_000n, traits: '{"plan":"before","kept":1}' }),
    identify({ ...ada, receivedAt: now + 10n * YEAR, traits: '{"plan":"wrong"}' }),
    identify({ ...ada, receivedAt: now + 10n * YEAR + 1n, traits: '{"plan":"wrong, later"}' }),
    session({ ...ada, receivedAt: now + 10n * YEAR + 2n, traits: '{"here":true}' }),
    track({ ...ada, receivedAt: now + 10n * YEAR + 3n, event: 'Bought' }),
  ]);
}, 300_000);
afterAll(async () => {
  await scene?.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  'a replay takes what was dated in the future as of an instant, and later values are newer',
  { timeout: 300_000 },
  async () => {
    for (const kind of KINDS) await replay(kind, asOf);
    await scene.append([identify({ ...ada, receivedAt: now + 1n, traits: '{"plan":"after"}' })]);
    await passed(2);

    await expect.poll(traits, SOON).toEqual({ plan: 'after', kept: 1, here: true });
    expect(await traitsInAnalytics()).toEqual({ plan: '"after"', kept: '1', here: 'true' });
    expect((await profile())?.lastSeen).toBe(now + 1n);
    const [event] = await scene.live.analytics.userEvents({
      projectId,
      userKey: userKeyOf(projectId, 'ada'),
      limit: 9,
    });
    expect([event?.timestamp, event?.receivedAt]).toEqual([now, now + 10n * YEAR + 3n]);
  },
);

test('a verification knows what each generation takes so', { timeout: 300_000 }, async () => {
  expect(await verified()).toMatchObject({ equal: true, profiles: { users: 1, different: { count: 0 } } });

  await scene.run('rollback', { kind: 'profiles' });
  await expect.poll(traits, SOON).toMatchObject({ plan: 'wrong, later' });
  expect(await verified()).toMatchObject({ equal: true, profiles: { users: 1, different: { count: 0 } } });

  await scene.run('rollback', { kind: 'profiles' });
  await expect.poll(traits, SOON).toMatchObject({ plan: 'after' });
});

test('the next replay of what is live takes the same, and says so', { timeout: 300_000 }, async () => {
  for (const kind of KINDS) await replay(kind);
  await passed(3);

  await expect.poll(traits, SOON).toMatchObject({ plan: 'after' });
  expect(await traitsInAnalytics()).toMatchObject({ plan: '"after"' });
  const shown = (await scene.status()).map(({ number, as_of: instant }) => [number, instant]);
  expect(shown).toEqual(
    [...Array<number>(2)].flatMap(() => [
      [1, null],
      [2, asOf],
      [3, asOf],
    ]),
  );
  expect(await verified()).toMatchObject({ equal: true });
});

test.each(['yesterday', formatMicros(now + YEAR)])('an instant that is %j is refused', async (instant) => {
  await expect(scene.build('profiles', undefined, instant)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
});

test('what is being built is not taken otherwise halfway', { timeout: 300_000 }, async () => {
  const built = await scene.build('profiles', undefined, asOf);

  const otherwise = scene.build('profiles', undefined, formatMicros(now - 1n));

  await expect(otherwise).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  expect((await scene.build('profiles', undefined, asOf)).number).toBe(built.number);
});

async function replay(kind: (typeof KINDS)[number], instant?: string): Promise<void> {
  await scene.build(kind, undefined, instant);
  await scene.swap(kind);
}

async function passed(number: number): Promise<void> {
  for (const kind of KINDS) await scene.hasRead(kind, number);
}

function profile() {
  return scene.live.profiles.find(projectId, userKeyOf(projectId, 'ada'));
}

async function traits(): Promise<unknown> {
  return JSON.parse((await profile())?.traits ?? 'null');
}

async function traitsInAnalytics(): Promise<unknown> {
  const live = (await scene.status()).find(({ kind, state }) => kind === 'analytics' && state === 'live');
  const store = await scene.analytics.ofGeneration(live?.number ?? 0);
  const rows = await ask<{ trait: string; value: string }>(store, 'SELECT trait, value FROM profile_traits');
  return Object.fromEntries(rows.map(({ trait, value }) => [trait, value]));
}

async function verified(): Promise<VerificationReport> {
  const { log, database, analytics } = scene;
  const stores = await storesToVerify({ log, codec, database, analytics });
  return verify(stores, {}, { deep: true, repeatWindowMs: 30 * 86_400_000 });
}
