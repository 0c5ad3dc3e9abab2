/**
 * Look-ups of flags beside messages, among 100 live audiences, in turn with the messages alone; and how long after a message
 * the public provider of OpenFeature says true, and after the end of a window false.
 */
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { READ_KEY, type ServiceProcess, WRITE_KEY } from '../../support/service/service.ts';
import { type Figures, median, ROUNDS } from '../figures.ts';
import type { Form } from '../forms.ts';
import { withService } from '../http.ts';
import { makeAudiences } from '../live/bench.ts';
import { LiveLoad, SESSION, USERS } from '../live/load.ts';
import { type Answered, generatePacedLoad } from '../load.ts';
import { beside, inPairs, MESSAGES_PER_SECOND, type Pairs, ratioOf, SECONDS, WARM_UP_SECONDS } from './messages.ts';

const AUDIENCES = 100;
const LOOK_UPS_PER_SECOND = 2_000;
/** None waits for the answer to another: each look-up waits for at most two statements. */
const CLIENTS = 256;
const PROBES = 8;
/** Longer than what is posted takes to be seen. */
const WINDOW_LEFT_MS = 3_000;
const HOUR_MS = 3_600_000;

export async function benchFlags(figures: Figures, form: Form): Promise<void> {
  await withService(form, async (service) => {
    await makeAudiences(service, AUDIENCES, 'live');
    const size = { rate: MESSAGES_PER_SECOND, changes: 1, dues: 1, seconds: 1, anonymous: 0 };
    await new LiveLoad(service, size).run((USERS * SESSION) / size.rate, false);
    const names = Array.from({ length: AUDIENCES - 2 }, (_, index) => `Audience ${index + 2}`);
    const lookUps: Answered[] = [];
    const withLookUps = async (): Promise<void> => void lookUps.push(await lookUp(service, names));
    const pairs = await inPairs(service, () => Promise.resolve(), withLookUps);
    const probes = await probed(service, names);
    report(figures, `${form.title}flags, ${AUDIENCES} live audiences`, lookUps, pairs, probes);
  });
}

/** Each of other users, and of other audiences in turn. */
function lookUp({ url }: ServiceProcess, names: readonly string[]): Promise<Answered> {
  return generatePacedLoad({
    url,
    body: '',
    headers: { 'content-type': 'application/json', api_key: READ_KEY },
    connections: CLIENTS,
    seconds: SECONDS,
    rate: LOOK_UPS_PER_SECOND,
    warmUpSeconds: WARM_UP_SECONDS,
    inTurn: Array.from({ length: 700 }, (_, number) => ({
      path: `/ofrep/v1/evaluate/flags/${encodeURIComponent(names[number % names.length] ?? '')}`,
      body: JSON.stringify({ context: { targetingKey: `user-${(number * 7_919) % USERS}` } }),
    })),
  });
}

interface Probe {
  /** From posted to true. */
  readonly trueMs: number;
  /** From the end of the window to false. */
  readonly falseMs: number;
}

/** While messages and look-ups go on. */
async function probed(service: ServiceProcess, names: readonly string[]): Promise<readonly Probe[]> {
  const headers: [string, string][] = [['api_key', READ_KEY]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service.url, headers }));
  const found: Probe[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const until = performance.now() + (WARM_UP_SECONDS + SECONDS) * 1_000 - 2 * WINDOW_LEFT_MS;
    const probe = async (_: unknown, index: number): Promise<void> => {
      while (performance.now() < until) found.push(await probeOf(service, `probe-${found.length}-${index}`));
    };
    await beside(service, () => Promise.all([lookUp(service, names), ...Array.from({ length: PROBES }, probe)]));
  }
  await OpenFeature.close();
  return found;
}

/** Somebody whose window ends soon. */
async function probeOf(service: ServiceProcess, targetingKey: string): Promise<Probe> {
  const endsAt = Date.now() + WINDOW_LEFT_MS;
  const body = { user_id: targetingKey, event: 'Was Here', timestamp: new Date(endsAt - HOUR_MS).toISOString() };
  const postedAt = Date.now();
  await service.ask('/v1/track', body, { key: WRITE_KEY });
  const until = async (value: boolean): Promise<number> => {
    while ((await OpenFeature.getClient().getBooleanValue('Was here', !value, { targetingKey })) !== value)
      await delay(10);
    return Date.now();
  };
  return { trueMs: (await until(true)) - postedAt, falseMs: (await until(false)) - endsAt };
}

function report(
  figures: Figures,
  name: string,
  lookUps: readonly Answered[],
  pairs: Pairs,
  probes: readonly Probe[],
): void {
  figures.add(name, {
    'look-ups/s': [median(lookUps.map(({ requestsPerSecond }) => requestsPerSecond)), '1/s'],
    'look-ups p50': [median(lookUps.map(({ p50Ms }) => p50Ms)), 'ms'],
    'look-ups p99': [median(lookUps.map(({ p99Ms }) => p99Ms)), 'ms'],
    'look-ups p99, least of a slice': [Math.min(...lookUps.map(({ p99Ms }) => p99Ms)), 'ms'],
    'look-ups p99, most of a slice': [Math.max(...lookUps.map(({ p99Ms }) => p99Ms)), 'ms'],
    'errors of look-ups': [lookUps.reduce((sum, { errors }) => sum + errors, 0), ''],
    ...ratioOf(pairs),
    'how many probes': [probes.length, ''],
    'posted to true, median': [median(probes.map(({ trueMs }) => trueMs)), 'ms'],
    'posted to true, longest': [Math.max(...probes.map(({ trueMs }) => trueMs)), 'ms'],
    'end of the window to false, shortest': [Math.min(...probes.map(({ falseMs }) => falseMs)), 'ms'],
    'end of the window to false, median': [median(probes.map(({ falseMs }) => falseMs)), 'ms'],
    'end of the window to false, longest': [Math.max(...probes.map(({ falseMs }) => falseMs)), 'ms'],
  });
}
