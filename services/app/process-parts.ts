import { TidemarkError } from '../runtime/errors.ts';

/** Something that a process runs from its start to its stop. */
export interface ProcessPart {
  /** Resolves once it works. */
  start?(): unknown;
  /** Resolves once it has ended. It is called even if its start failed or was never reached. */
  stop?(): unknown;
  /** In Prometheus' text format. */
  metrics?(): Promise<string>;
}

/** What a process consists of. It is started in order, and stopped backwards. */
export class ProcessParts {
  /** Aborted once the process is to stop, or a start has failed. */
  readonly stopping: AbortSignal;
  readonly #ending = new AbortController();
  readonly #groups: (readonly ProcessPart[])[] = [];
  #stopped: Promise<void> | undefined;

  /** @param signal Ends the start: then it fails with `STOPPING`. */
  constructor(signal?: AbortSignal) {
    const own = this.#ending.signal;
    this.stopping = signal === undefined ? own : AbortSignal.any([signal, own]);
  }

  /**
   * Starts these one after the other. They are stopped at the same time, before those that were started earlier.
   *
   * @throws TidemarkError `STOPPING`; what a start throws.
   */
  async start(...group: readonly ProcessPart[]): Promise<void> {
    this.#groups.push(group);
    for (const part of group) {
      if (this.stopping.aborted) throw new TidemarkError('STOPPING', 'the process was stopped while it started');
      await part.start?.();
    }
  }

  async metrics(): Promise<string> {
    return (await Promise.all(this.#groups.flat().map(async (part) => (await part.metrics?.()) ?? ''))).join('');
  }

  /** A part that cannot be stopped does not keep the others from it. Idempotent. @throws The first error. */
  stop(): Promise<void> {
    this.#ending.abort();
    this.#stopped ??= stopBackwards(this.#groups);
    return this.#stopped;
  }
}

async function stopBackwards(groups: readonly (readonly ProcessPart[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const group of groups.toReversed()) {
    const ends = await Promise.allSettled(group.map(async (part) => part.stop?.()));
    for (const end of ends) if (end.status === 'rejected') failures.push(end.reason);
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Starts a process of these parts.
 *
 * @throws What a start throws, once everything that was started before has been stopped.
 */
export async function startParts<Started>(
  signal: AbortSignal | undefined,
  start: (parts: ProcessParts) => Promise<Started>,
): Promise<Started & Pick<ProcessParts, 'stop'>> {
  const parts = new ProcessParts(signal);
  try {
    return { ...(await start(parts)), stop: () => parts.stop() };
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }
}
