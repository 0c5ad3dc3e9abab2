/** Backups into one folder, one after another, while the service is tormented. */
import { setTimeout as sleep } from 'node:timers/promises';
import { job } from '../../../services/cli/client/carry-out.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Findings } from '../check/findings.ts';
import { Operator } from './operator.ts';

export interface BackupsOptions {
  /** Where to ask; any of them. */
  readonly doors: readonly string[];
  readonly folder: string;
  readonly findings: Findings;
}

const PAUSE_MS = 1_500;
/** Connections that do not flow are given up after this time, and the request is sent again. */
const REQUEST_MS = 60_000;

export class Backups {
  readonly folder: string;
  /** That came to their end, and requests that a fault broke off. */
  readonly counts = { made: 0, brokenOff: 0 };
  readonly #findings: Findings;
  readonly #operator: Operator;
  readonly #over = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #lastError = 'no answer';

  constructor({ doors, folder, findings }: BackupsOptions) {
    this.folder = folder;
    this.#findings = findings;
    this.#operator = new Operator(doors);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** When nothing is broken any more: makes the last. If it fails for `patienceMs`, that is a finding. */
  async finish(patienceMs: number): Promise<void> {
    this.#over.abort();
    await this.#running;
    const signal = AbortSignal.timeout(patienceMs);
    // One that was given up may still be under way.
    while (!(await this.#make(signal))) {
      if (signal.aborted) return this.#findings.add('not backed up', `within ${patienceMs} ms: ${this.#lastError}`);
      await sleep(PAUSE_MS);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#make(AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]));
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves with whether it came to its end. No fault excuses a folder that is damaged or refused. */
  async #make(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#operator.ask(job('POST /v1/admin/backups', { body: { folder: this.folder, again: false } }), signal);
      this.counts.made++;
      return true;
    } catch (error) {
      if (!signal.aborted) this.#lastError = String(error);
      if (error instanceof TidemarkError && (error.code.startsWith('BACKUP_') || error.code === 'COMMAND_INVALID'))
        this.#findings.add('not backed up', `${error.code}: ${error.message}`);
      if (!this.#over.signal.aborted) this.counts.brokenOff++;
      return false;
    }
  }
}
