/** A service whose log is cut all the time, under load, and which is killed at any moment, against what was posted. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { operation } from '../../../schemas/operations.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';
import type { ServiceRequest } from '../../../services/cli/client/ask.ts';
import { job } from '../../../services/cli/client/carry-out.ts';
import { hasRead } from '../../bench/lag.ts';
import { ServiceProcess } from '../../support/service/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { Operator } from '../../torture/beside/operator.ts';

const PRELOAD = `--import=${join(import.meta.dirname, 'cut-often.ts')}`;
/** Cuts that are to be begun. A night's run takes 200. */
const CUTS = Number(process.env['CUTS'] ?? 20);
const USERS = 30;
const AT_ONCE = 20;
const PAUSE_MS = 20;
const KILLED_AFTER = ['a piece of a snapshot is written', 'a cut begins', 'a cut ends'] as const;

test(
  'profiles, events, and replays are what was posted, however often the log is cut and the service is killed',
  { timeout: CUTS * 15_000 + 300_000 },
  async ({ annotate }) => {
    const folder = await temporaryFolder();
    const poster = new Poster();
    let [begun, ended, kills] = [0, 0, 0];
    while (begun < CUTS) {
      const service = await start(folder);
      const step = KILLED_AFTER[kills % KILLED_AFTER.length] ?? '';
      const isThere = (): boolean => service.output.filter((line) => line === step).length > kills % 3;
      await poster.post(service, () => !isThere());
      await delay(Math.random() * 30);
      await service.stop('SIGKILL');
      kills += 1;
      begun += service.output.filter((line) => line === 'a cut begins').length;
      ended += service.output.filter((line) => line === 'a cut ends').length;
    }
    const service = await start(folder);
    await poster.post(service, () => service.output.filter((line) => line === 'a cut ends').length < 3);
    await hasRead(service, 'projector|sink');

    const operator = new Operator([service.url]);
    const signal = AbortSignal.timeout(300_000);
    const verification = { ...operation('POST /v1/admin/verifications', { body: { deep: true } }), streams: true };
    const { deleted_from_log: deleted, ...report } = await operator.ask(
      verification as unknown as ServiceRequest<VerificationReport>,
      signal,
    );
    expect(report).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
    expect(deleted.records).toBeGreaterThan(poster.posted / 2);
    expect(await poster.unlike(service)).toEqual([]);
    for (const kind of ['profiles', 'analytics'] as const) {
      const built = await operator.ask(job('POST /v1/admin/generations', { body: { kind } }), signal);
      expect(built).toMatchObject({ kind, same: true });
      const path = { kind, number: String(built.number) };
      await operator.ask(job('POST /v1/admin/generations/{kind}/{number}/swap', { path }), signal);
      expect(await poster.unlike(service)).toEqual([]);
    }
    expect(await service.stop()).toBe(0);
    // A run is of use only if kills met cuts.
    await annotate(JSON.stringify({ posted: poster.posted, deleted: deleted.records, kills, begun, ended }));
    expect(poster.posted).toBeGreaterThan(CUTS * AT_ONCE);
  },
);

interface Counted {
  readonly series: readonly { readonly value?: unknown; readonly values: readonly number[] }[];
}

interface Known {
  readonly traits: object;
  readonly anonymous_ids: readonly string[];
}

/** Posts messages in turn, each until it is accepted, and knows what they come to. */
class Poster {
  posted = 0;
  readonly #plans = new Map<string, number | null>();
  readonly #events = new Map<string, number>();
  readonly #ids = new Map<string, Set<string>>();

  async post(service: ServiceProcess, wanted: () => boolean): Promise<void> {
    while (wanted()) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => this.posted + index);
      const { status } = await service.request('/v1/batch', { batch: numbers.map(messageOf) });
      expect(status).toBe(200);
      for (const number of numbers) this.#note(number);
      this.posted += AT_ONCE;
      // The readers keep up with it.
      await delay(PAUSE_MS);
    }
  }

  #note(number: number): void {
    const id = senderOf(number);
    this.#ids.set(id, (this.#ids.get(id) ?? new Set()).add(anonymousIdOf(number)));
    if (isEvent(number)) this.#events.set(id, (this.#events.get(id) ?? 0) + 1);
    else this.#plans.set(id, planOf(number));
  }

  /** Users whose profile or number of events is not what was posted. */
  async unlike(service: ServiceProcess): Promise<readonly object[]> {
    const found: object[] = [];
    const question = { event: 'Seen', measure: 'count', split: { property: 'of', top: USERS } };
    const { series } = await service.ask<Counted>('/v1/events/counts', question);
    for (let user = 0; user < USERS; user++) {
      const id = `u${user}`;
      const { traits, anonymous_ids: ids } = await service.ask<Known>(`/v1/users/${id}`);
      const events = series.find(({ value }) => value === id)?.values[0];
      const plan = this.#plans.get(id) ?? null;
      const wanted = { traits: plan === null ? {} : { plan }, events: this.#events.get(id), ids: this.#ids.get(id) };
      const is = { traits, events, ids: new Set(ids) };
      if (!isDeepStrictEqual(is, wanted)) found.push({ id, is, wanted });
    }
    return found;
  }
}

function senderOf(number: number): string {
  return `u${(number * 7) % USERS}`;
}

function anonymousIdOf(number: number): string {
  return `a${number % 11}`;
}

function isEvent(number: number): boolean {
  return number % 3 !== 0;
}

function planOf(number: number): number | null {
  return number % 5 === 0 ? null : number;
}

function messageOf(number: number): object {
  const who = { user_id: senderOf(number), anonymousId: anonymousIdOf(number), message_id: `m${number}` };
  if (!isEvent(number)) return { ...who, type: 'identify', traits: { plan: planOf(number) } };
  return { ...who, type: 'track', event: 'Seen', properties: { of: senderOf(number), number } };
}

async function start(folder: string): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(folder, { NODE_OPTIONS: PRELOAD });
  onTestFinished(async () => void (await service.stop('SIGKILL')));
  return service;
}
