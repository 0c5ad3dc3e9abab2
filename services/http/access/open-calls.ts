import type { KeyRing } from '../../stores/projects/project-store.ts';
import type { Call } from '../call.ts';
import type { Refusal } from '../problems.ts';
import { endAnswer } from '../send.ts';
import { whyNotAdmitted } from './admission.ts';
import type { SessionKeys } from './session-cookie.ts';

// With what a process remembers of keys (9 s at worst, see `ProjectCache`) and of sessions (5 s): 10 s at most.
const LOOK_EVERY_MS = 1_000;

/**
 * Admitted requests that may last: all but those that bring messages. Whether their callers may still have the answers is
 * asked every second, as it was asked before they were admitted: an answer whose key was revoked, session ended or project
 * deleted ends. While that cannot be found out, answers go on.
 */
export class OpenCalls {
  readonly #keys: KeyRing;
  readonly #sessions: SessionKeys | undefined;
  readonly #open = new Set<Call>();
  readonly #looking = new Set<Call>();
  #timer: NodeJS.Timeout | undefined;

  constructor(keys: KeyRing, sessions: SessionKeys | undefined) {
    this.#keys = keys;
    this.#sessions = sessions;
  }

  /** Until the answer has left, or its connection is closed. */
  add(call: Call): void {
    if (call.res.destroyed) return;
    this.#open.add(call);
    call.res.once('close', () => this.#open.delete(call));
    // All that works on an answer listens for its end, some ten for a long poll: Node took that for a leak.
    call.res.setMaxListeners(0);
    this.#timer ??= setInterval(() => this.#lookAtAll(), LOOK_EVERY_MS).unref();
  }

  /** Whether it has been under way for longer than authority is trusted: ask `whyNot` before what it brings is recorded. */
  isLate({ startedAtMs }: Call): boolean {
    return performance.now() - startedAtMs > LOOK_EVERY_MS;
  }

  /** Why the request would not be admitted now; undefined where it would, and where that cannot be found out. */
  whyNot(call: Call): Promise<Refusal | undefined> {
    return whyNotAdmitted(call, this.#keys, this.#sessions).catch(() => undefined);
  }

  #lookAtAll(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const call of this.#open) if (!this.#looking.has(call)) void this.#look(call);
  }

  async #look(call: Call): Promise<void> {
    this.#looking.add(call);
    const refusal = await this.whyNot(call);
    this.#looking.delete(call);
    if (refusal !== undefined) endAnswer(call, refusal);
  }
}
