/** What is looked up of 100 live audiences and 100 users is what why finds out of each, 10,000 times. */
import { expect, onTestFinished, test } from 'vitest';
import { find, save, WITHIN_A_MINUTE } from '../../support/live/live-requests.ts';
import { recordedIn } from '../../support/service/readers-passed.ts';
import { ServiceProcess } from '../../support/service/service.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const AUDIENCES = 100;
const USERS = Array.from({ length: 100 }, (_, number) => `user-${number}`);
const AT_ONCE = 8;
/** How long a question takes is another matter. */
const PATIENT = { QUERY_MAX_MS: '300000' };
const EVENTS = ['Page Viewed', 'Order Completed', 'Trial Started'];
const PLANS = ['free', 'team', 'pro'];
const DAY_MS = 86_400_000;

/** They ask for traits, for numbers of events, for what was not done, and for both. */
function conditionsAt(index: number): object {
  const plan = { trait: 'plan', is: PLANS[index % 3] };
  const event = EVENTS[index % 3];
  const often = { event, count: { at_least: 1 + (index % 4) }, within: { last: `${5 + (index % 20)}d` } };
  if (index % 4 === 0) return { all: [plan, { trait: 'age', gt: 18 + index / 2 }] };
  if (index % 4 === 1) return often;
  if (index % 4 === 2) return { all: [plan, { not: often }] };
  return { any: [often, { event, where: [{ property: 'total', gt: index }] }] };
}

function pastOf(user: string, number: number): object[] {
  const events = Array.from({ length: 1 + (number % 7) }, (_, nth) => ({
    type: 'track',
    user_id: user,
    event: EVENTS[(number + nth * nth) % 3],
    properties: { total: (number * 13 + nth * 29) % 120 },
    timestamp: new Date(Date.now() - ((number * 7 + nth * 5) % 30) * DAY_MS - 3_600_000).toISOString(),
  }));
  return [
    { type: 'identify', user_id: user, traits: { plan: PLANS[(number * 5) % 3], age: 18 + (number % 60) } },
    ...events,
  ];
}

interface Memberships {
  readonly memberships: readonly { readonly id: string; readonly is_member: boolean }[];
}

test.each(await testedForms())(
  '10,000 look-ups of live audiences say what why says, $form',
  { timeout: 3_600_000 },
  async ({ settings }) => {
    const service = await ServiceProcess.start(await temporaryFolder(), { ...(await settings()), ...PATIENT });
    onTestFinished(async () => void (await service.stop('SIGKILL')));
    const ids: string[] = [];
    for (let index = 0; index < AUDIENCES; index++)
      ids.push(
        (await save(service, { name: `Audience ${index}`, definition: conditionsAt(index), refresh: 'live' })).id,
      );
    await recordedIn(service, '/v1/batch', { batch: USERS.flatMap(pastOf) });
    const queryableAt = new Date().toISOString();
    for (const id of ids)
      await expect
        .poll(async () => (await find(service, id)).live_through ?? '', WITHIN_A_MINUTE)
        .toSatisfy((through: string) => through > queryableAt);

    const pairs: (readonly [user: string, id: string, isMember: boolean])[] = [];
    for (const user of USERS) {
      const { memberships } = await service.ask<Memberships>(`/v1/users/${user}/memberships`);
      pairs.push(...memberships.map(({ id, is_member: isMember }) => [user, id, isMember] as const));
    }
    const differing: string[] = [];
    const left = pairs.values();
    const compare = async (): Promise<void> => {
      for (const [user, id, isMember] of left) {
        const why = await service.ask<{ is_member: boolean }>(`/v1/audiences/${id}/why?user_id=${user}&events=0`);
        if (why.is_member !== isMember) differing.push(`${user} ${id}: looked up ${isMember}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, compare));

    expect(pairs.length).toBe(AUDIENCES * USERS.length);
    expect(differing).toEqual([]);
    expect(new Set(pairs.map(([, , isMember]) => isMember))).toEqual(new Set([true, false]));
  },
);
