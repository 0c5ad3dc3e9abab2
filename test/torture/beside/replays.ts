/** Replays of profiles and of analytics, one after another, as an operator has a service make them while it is tormented. */
import { setTimeout as sleep } from 'node:timers/promises';
import { operation } from '../../../schemas/operations.ts';
import { job } from '../../../services/cli/client/carry-out.ts';
import type { BuiltGeneration } from '../../../services/operations/replay/replay-commands.ts';
import { GENERATION_KINDS, type GenerationKind } from '../../../services/stores/generations/generation.ts';
import type { Findings } from '../check/findings.ts';
import { Operator } from './operator.ts';

export interface ReplaysOptions {
  /** Where to ask; any of them. */
  readonly doors: readonly string[];
  readonly findings: Findings;
}

/** Generations that were swapped in, by kind, and requests that a fault broke off. */
export type ReplayCounts = Readonly<Record<GenerationKind | 'brokenOff', number>>;

/** Connections that do not flow are given up after this time, and the request is sent again. */
const REQUEST_MS = 60_000;
const PAUSE_MS = 500;

const GENERATIONS = operation('GET /v1/admin/generations');

export class Replays {
  readonly #findings: Findings;
  readonly #operator: Operator;
  readonly #counts = { profiles: 0, analytics: 0, brokenOff: 0 };
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor({ doors, findings }: ReplaysOptions) {
    this.#findings = findings;
    this.#operator = new Operator(doors);
  }

  get counts(): ReplayCounts {
    return this.#counts;
  }

  start(): void {
    this.#running = Promise.all(GENERATION_KINDS.map((kind) => this.#again(kind)));
  }

  /** Resolves once none is under way. What is being built goes on being built. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * One more of each kind, when nothing is broken and nothing is posted any more; then waits until every generation has read
   * the whole log. Rejects after `patienceMs`.
   */
  async finish(patienceMs: number): Promise<void> {
    await this.stop();
    const signal = AbortSignal.timeout(patienceMs);
    for (const kind of GENERATION_KINDS) await this.#replay(kind, signal);
    for (;;) {
      const fed = (await this.#operator.ask(GENERATIONS, signal)).generations.filter(
        ({ state }) => state !== 'dropped',
      );
      if (fed.every(({ behind }) => behind === 0)) return;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }

  async #again(kind: GenerationKind): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#replay(kind, AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]));
      } catch {
        if (!signal.aborted) this.#counts.brokenOff++;
      }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Goes on with what is being built; beside it the live generation and the one before are kept. */
  async #replay(kind: GenerationKind, signal: AbortSignal): Promise<void> {
    const built = await this.#operator.ask(job('POST /v1/admin/generations', { body: { kind } }), signal);
    if (!built.same) this.#findings.add('replayed differently', describe(built));
    const path = { kind, number: String(built.number) };
    await this.#operator.ask(job('POST /v1/admin/generations/{kind}/{number}/swap', { path }), signal);
    this.#counts[kind]++;
    const all = (await this.#operator.ask(GENERATIONS, signal)).generations.filter((one) => one.kind === kind);
    const former = all.filter(({ state }) => state === 'former').slice(0, -1);
    for (const { number } of [...former, ...all.filter(({ state }) => state === 'dropping')]) {
      const dropped = { kind, number: String(number) };
      await this.#operator.ask(job('POST /v1/admin/generations/{kind}/{number}/drop', { path: dropped }), signal);
    }
  }
}

function describe({ kind, number, comparison }: BuiltGeneration): string {
  const unlike = comparison.filter(({ different, missing, extra }) => different + missing + extra > 0);
  return `generation ${number} of ${kind}: ${JSON.stringify(unlike)}`;
}
