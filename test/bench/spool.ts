/**
 * The spool: requests a second while Kafka is unreachable, how fast what waits is forwarded when it is back, and what a spool
 * that is set up and empty costs. Ingest alone: the readers have no part in it.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../support/service/service.ts';
import { type Shape, SHAPES } from './bodies.ts';
import { type Figures, median, ROUNDS } from './figures.ts';
import type { Form, Installation } from './forms.ts';
import { type Answered, loadShape } from './load.ts';

const WARM_UP_SECONDS = 3;
const SECONDS = 5;
const MAX_BYTES = String(8 * 2 ** 30);
/** Where nobody listens. */
const NO_KAFKA = 'kafka://127.0.0.1:1';

interface Round {
  readonly without: Answered;
  readonly empty: Answered;
  readonly single: Answered;
  readonly batch: Answered;
  readonly bytesAMessage: number;
  readonly forwarded: number;
}

export async function benchSpool(figures: Figures, form: Form): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await form.install(benchOnce));
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const unreachable = (name: string, pick: (round: Round) => Answered, events: number): void => {
    figures.add(`${form.title}spool, Kafka unreachable: ${name}`, {
      'requests/s': [of((one) => pick(one).requestsPerSecond), '1/s'],
      'events/s': [of((one) => pick(one).requestsPerSecond * events), '1/s'],
      p50: [of((one) => pick(one).p50Ms), 'ms'],
      p99: [of((one) => pick(one).p99Ms), 'ms'],
      errors: [of((one) => pick(one).errors), ''],
    });
  };
  unreachable('single track, 64 connections', ({ single }) => single, 1);
  unreachable('batch of 100, 16 connections', ({ batch }) => batch, 100);
  figures.add(`${form.title}spool`, {
    'forwarded to Kafka': [of(({ forwarded }) => forwarded), 'messages/s'],
    'on disk': [of(({ bytesAMessage }) => bytesAMessage), 'B/message'],
    'Kafka there, no spool': [of(({ without }) => without.requestsPerSecond), '1/s'],
    'Kafka there, spool empty': [of(({ empty }) => empty.requestsPerSecond), '1/s'],
    'of that without a spool': [of(({ empty, without }) => empty.requestsPerSecond / without.requestsPerSecond), ''],
  });
}

async function benchOnce({ folder, settings }: Installation): Promise<Round> {
  const spool = { SPOOL_DIR: join(folder, 'spool'), SPOOL_MAX_BYTES: MAX_BYTES };
  const withSpool = { ...settings, ...spool };
  const track = (service: ServiceProcess): Promise<Answered> => load(service, SHAPES.single);
  const without = await withIngest(folder, settings, track);
  const empty = await withIngest(folder, withSpool, track);
  const unreachable = await withIngest(folder, { ...withSpool, EVENT_LOG_URL: NO_KAFKA }, async (service) => {
    const single = await track(service);
    const batch = await load(service, SHAPES.batch);
    const [bytes, messages] = await metricsOf(service, 'tidemark_spool_bytes', 'tidemark_spool_messages');
    return { single, batch, bytesAMessage: (bytes ?? NaN) / (messages ?? NaN) };
  });
  const forwarded = await withIngest(folder, withSpool, forwardedPerSecond);
  return { without, empty, ...unreachable, forwarded };
}

/** From the first that is forwarded until nothing waits. */
async function forwardedPerSecond(service: ServiceProcess): Promise<number> {
  const begun = { atMs: 0, forwarded: 0 };
  for (;;) {
    const [waiting = 0, forwarded = 0] = await metricsOf(
      service,
      'tidemark_spool_messages',
      'tidemark_spool_forwarded_total',
    );
    if (begun.atMs === 0 && forwarded > 0) Object.assign(begun, { atMs: performance.now(), forwarded });
    if (waiting === 0) return ((forwarded - begun.forwarded) * 1000) / (performance.now() - begun.atMs);
    await sleep(20);
  }
}

async function metricsOf(service: ServiceProcess, ...names: readonly string[]): Promise<readonly number[]> {
  const text = await (await service.request('/metrics')).text();
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN));
}

async function withIngest<T>(
  folder: string,
  settings: Readonly<Record<string, string>>,
  use: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await ServiceProcess.start(folder, settings, 'ingest');
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

async function load(service: ServiceProcess, shape: Shape): Promise<Answered> {
  await loadShape(shape, service, WARM_UP_SECONDS);
  return loadShape(shape, service, SECONDS);
}
