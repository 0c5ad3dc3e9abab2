/** Messages at a fixed rate beside something else, in turn with the same messages beside another: both meet the same machine. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../support/service/service.ts';
import { HEADERS } from '../bodies.ts';
import { median, ROUNDS } from '../figures.ts';
import { type Answered, generatePacedLoad } from '../load.ts';
import { USERS } from '../live/load.ts';

export const MESSAGES_PER_SECOND = 500;
export const SECONDS = 10;
export const WARM_UP_SECONDS = 3;
const CLIENTS = 64;
const PAIRS = 2 * ROUNDS;

/** What else is done for as long as messages come. */
type Beside = (service: ServiceProcess) => Promise<unknown>;

/** How messages were answered beside the one, and beside the other. */
export type Pairs = readonly (readonly [one: Answered, other: Answered])[];

const BODIES = Array.from({ length: 500 }, (_, number) => ({
  user_id: `user-${(number * 7_919) % USERS}`,
  event: number % 20 === 3 ? 'Order Completed' : 'Page Viewed',
  properties: { path: `/p/${number % 997}`, total: number % 90 },
}));

export async function inPairs(service: ServiceProcess, one: Beside, other: Beside): Promise<Pairs> {
  const pairs: [Answered, Answered][] = [];
  for (let pair = 0; pair < PAIRS; pair++) pairs.push([await beside(service, one), await beside(service, other)]);
  return pairs;
}

export async function beside(service: ServiceProcess, what: Beside): Promise<Answered> {
  const messages = generatePacedLoad({
    url: service.url,
    body: '',
    headers: HEADERS,
    connections: CLIENTS,
    seconds: SECONDS,
    rate: MESSAGES_PER_SECOND,
    warmUpSeconds: WARM_UP_SECONDS,
    inTurn: BODIES.map((body) => ({ path: '/v1/track', body: JSON.stringify(body) })),
  });
  const [answered] = await Promise.all([messages, what(service)]);
  // What the one has left to do is not the other's.
  await delay(2_000);
  return answered;
}

export function ratioOf(pairs: Pairs) {
  const ratios = pairs.map(([one, other]) => other.p99Ms / one.p99Ms);
  return {
    'messages p50 beside the one': [median(pairs.map(([one]) => one.p50Ms)), 'ms'],
    'messages p50 beside the other': [median(pairs.map(([, other]) => other.p50Ms)), 'ms'],
    'messages p99 beside the one': [median(pairs.map(([one]) => one.p99Ms)), 'ms'],
    'messages p99 beside the other': [median(pairs.map(([, other]) => other.p99Ms)), 'ms'],
    'times the p99, median of pairs': [median(ratios), ''],
    'least of a pair': [Math.min(...ratios), ''],
    'most of a pair': [Math.max(...ratios), ''],
    'errors of messages': [pairs.flat().reduce((sum, { errors }) => sum + errors, 0), ''],
  } as const;
}
