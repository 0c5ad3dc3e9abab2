/** Makes SDKs do every scenario against one service, and says what came of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { type ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import type { Call } from './call.ts';
import { differencesOf } from './differences.ts';
import { type Exchange, SdkProxy } from './sdk-proxy.ts';
import { type Outcome, outcomeOf } from './outcomes.ts';
import { readAnonymous, readUser } from './read-back.ts';
import { type Ids, type Scenario, SCENARIOS } from './scenarios.ts';
import { type Command, type Ran, SdkProcess } from './sdk-process.ts';
import type { Sdk } from './sdks.ts';

const OUTAGE_MS = 10_000;
/** What has not come to an end by then never will. */
const WITHIN_MS = 60_000;
/** The SDKs for Java wait up to 30 s before they send again what was not answered. */
const RETRY_WITHIN_MS = 90_000;
/** What an SDK tried during an outage, it tries again after pauses that grow. */
const QUIET_AFTER_OUTAGE_MS = 10_000;
const READ_WITHIN_MS = 120_000;
const UNKNOWN_KEY = 'a-key-that-no-project-has-0123456789abcdef';

/** An SDK whose program is there. */
export interface Runnable {
  readonly sdk: Sdk;
  readonly command: Command;
}

/** What an SDK sent and how its program went on, of one scenario. */
export interface ScenarioRun {
  readonly sdk: Sdk;
  readonly scenario: Scenario;
  readonly ran: Ran;
  readonly exchanges: readonly Exchange[];
  readonly tookMs: number;
  /** What the program printed: to find out why it ended. */
  readonly output: string;
}

export function idsOf({ name }: Sdk, scenario: Scenario): Ids {
  return { userId: `${name} ${scenario.name}`, anonymousId: `nobody ${name} ${scenario.name}` };
}

/** All scenarios of all SDKs: the outage is one for all of them. */
export async function runScenarios(
  service: ServiceProcess,
  runnables: readonly Runnable[],
): Promise<readonly ScenarioRun[]> {
  const runners = await Promise.all(runnables.map((runnable) => SdkRunner.before(service, runnable)));
  try {
    const outage = SCENARIOS.find(({ outage }) => outage);
    const runs = await Promise.all(runners.map((runner) => runner.runAll()));
    const late = outage === undefined ? [] : await Promise.all(runners.map((runner) => runner.runOutage(outage)));
    const restart = SCENARIOS.find(({ byTimer }) => byTimer);
    const npm = runners.filter(({ kind }) => kind === 'npm');
    const last = restart === undefined ? [] : await Promise.all(npm.map((runner) => runner.runRestart(restart)));
    return [...runs.flat(), ...late, ...last];
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}

/** Reads back what was recorded, once the service's readers have come to it. */
export async function outcomesOfRuns(
  service: ServiceProcess,
  runs: readonly ScenarioRun[],
): Promise<readonly Outcome[]> {
  const receipts = runs.flatMap(({ exchanges }) => exchanges.flatMap(receiptOf));
  await Promise.all(receipts.map((receipt) => passed(service, receipt)));
  // One SDK after another would take long; all at once are more pages of events than the service lets one project open.
  const bySdk = [...Map.groupBy(runs, ({ sdk }) => sdk).values()];
  const outcomes = await Promise.all(
    bySdk.map(async (list) => {
      const judged: Outcome[] = [];
      for (const run of list) judged.push(await outcomeOfRun(service, run));
      return judged;
    }),
  );
  return outcomes.flat();
}

async function outcomeOfRun(service: ServiceProcess, { sdk, scenario, ran, exchanges }: ScenarioRun): Promise<Outcome> {
  const ids = idsOf(sdk, scenario);
  const calls = scenario.calls(ids);
  const wanted = calls.filter(scenario.mustBeRecorded ?? (() => true));
  const isAnonymous = calls.every(({ userId }) => userId === undefined);
  const recorded = await (isAnonymous ? readAnonymous : readUser)(service, ids);
  const differences = differencesOf(wanted, sdk.lacks ?? [], recorded);
  // Such an SDK sends a refused message again for longer than the test waits, whatever the service answers.
  const isPatient = scenario.wrongKey === true && sdk.retriesRefused === true;
  return outcomeOf(sdk.name, scenario, { ran: isPatient ? 'done' : ran, exchanges, differences });
}

/** Whether a browser would let a page of `origin` send. A browser asks before it sends the key in a header. */
export async function preflight(service: ServiceProcess, { name }: Sdk, origin: string): Promise<Outcome> {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const { status, headers } = await fetch(`${service.url}/v1/t`, { method: 'OPTIONS', headers: { origin, ...asked } });
  const isAllowed = status < 300 && ['*', origin].includes(headers.get('access-control-allow-origin') ?? '');
  const row = { sdk: name, scenario: 'preflight', endsProcess: false };
  if (isAllowed) return { ...row, outcome: 'kept', difference: '' };
  return { ...row, outcome: 'refused', difference: 'pages of other origins cannot send' };
}

/** `readersPassed` polls as only a test may. */
async function passed(service: ServiceProcess, receipt: string): Promise<void> {
  const look = async (): Promise<void> => {
    const response = await service.request(`/v1/receipts/${receipt}?wait=10`);
    const { projected, queryable } = (await response.json()) as { projected?: boolean; queryable?: boolean };
    if (!projected || !queryable) throw new Error(`the readers have not come to ${receipt}`);
  };
  await vi.waitFor(look, { timeout: READ_WITHIN_MS });
}

function receiptOf({ status, answer }: Exchange): readonly string[] {
  if (status !== 200) return [];
  const { receipt } = JSON.parse(answer) as { receipt?: string | null };
  return typeof receipt === 'string' ? [receipt] : [];
}

/** One SDK, its program, and what stands between it and the service. */
class SdkRunner {
  readonly #sdk: Sdk;
  readonly #proxy: SdkProxy;
  readonly #process: SdkProcess;
  readonly #withWrongKey: SdkProcess;

  private constructor({ sdk, command }: Runnable, proxy: SdkProxy) {
    this.#sdk = sdk;
    this.#proxy = proxy;
    this.#process = new SdkProcess(command, proxy.url, WRITE_KEY);
    this.#withWrongKey = new SdkProcess(command, proxy.url, UNKNOWN_KEY);
  }

  static async before(service: ServiceProcess, runnable: Runnable): Promise<SdkRunner> {
    return new SdkRunner(runnable, await SdkProxy.before(service.url));
  }

  get kind(): Sdk['kind'] {
    return this.#sdk.kind;
  }

  /** All but the outage and the restart. */
  async runAll(): Promise<readonly ScenarioRun[]> {
    const runs: ScenarioRun[] = [];
    for (const scenario of SCENARIOS) {
      const calls = this.#callsOf(scenario);
      if (scenario.outage || scenario.byTimer || calls.length === 0) continue;
      if (scenario.needsNull && this.#sdk.omitsNull) continue;
      if (scenario.losesAnswer) this.#proxy.loseNextAnswer();
      runs.push(await this.#noting(scenario, () => this.#run(scenario, calls)));
    }
    return runs;
  }

  /**
   * The calls are made while the service is unreachable. Once it is back, the SDK makes another call, as the program of a
   * user would.
   */
  async runOutage(scenario: Scenario): Promise<ScenarioRun> {
    const calls = this.#callsOf(scenario);
    await this.#proxy.goAway();
    return this.#noting(scenario, async () => {
      const running = this.#process.run(calls.slice(0, -1), RETRY_WITHIN_MS);
      await sleep(OUTAGE_MS);
      await this.#proxy.comeBack();
      const [first, second] = [await running, await this.#process.run(calls.slice(-1), WITHIN_MS)];
      return first === 'done' ? second : first;
    });
  }

  /** The last call is made once the service is back, and flushed: it finds a program that goes on, or one that ended. */
  async runRestart(scenario: Scenario): Promise<ScenarioRun> {
    const calls = this.#callsOf(scenario);
    await this.#proxy.goAway();
    return this.#noting(scenario, async () => {
      await this.#process.run({ byTimer: calls.slice(0, -1) }, WITHIN_MS);
      await sleep(OUTAGE_MS);
      await this.#proxy.comeBack();
      await this.#proxy.quiet(QUIET_AFTER_OUTAGE_MS);
      return this.#process.run(calls.slice(-1), RETRY_WITHIN_MS);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#process.stop(), this.#withWrongKey.stop()]);
    await this.#proxy.close();
  }

  #callsOf(scenario: Scenario): readonly Call[] {
    return scenario.calls(idsOf(this.#sdk, scenario)).filter(({ type }) => !this.#sdk.lacks?.includes(type));
  }

  /** Again where the process ended: what ended it may have been left over from the calls before. */
  async #run(scenario: Scenario, calls: readonly Call[]): Promise<Ran> {
    const process = scenario.wrongKey ? this.#withWrongKey : this.#process;
    const withinMs = scenario.losesAnswer ? RETRY_WITHIN_MS : WITHIN_MS;
    const ran = await process.run(calls, withinMs);
    if (ran !== 'ended') return ran;
    await process.run(calls, withinMs);
    return 'ended';
  }

  async #noting(scenario: Scenario, run: () => Promise<Ran>): Promise<ScenarioRun> {
    const startedAt = Date.now();
    const ran = await run();
    await this.#proxy.quiet(scenario.outage ? QUIET_AFTER_OUTAGE_MS : undefined);
    const { output } = scenario.wrongKey ? this.#withWrongKey : this.#process;
    const exchanges = this.#proxy.takeExchanges();
    return { sdk: this.#sdk, scenario, ran, exchanges, tookMs: Date.now() - startedAt, output };
  }
}
