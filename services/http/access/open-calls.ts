import type { KeyRing } from '../../stores/projects/project-store.ts';
import type { Call } from '../call.ts';
import { endAnswer } from '../send.ts';
import { whyNotAdmitted } from './admission.ts';
import type { SessionKeys } from './session-cookie.ts';

// With what a process remembers of keys (9 s at worst, see `ProjectCache`) and of sessions (5 s): 10 s at most.
const LOOK_EVERY_MS = 1_000;

/**
 * Requests whose answers have not left whole. Whether their callers may still have them is asked every second, as it was
 * asked before they were admitted: an answer whose key was revoked, session ended or project deleted ends. While that
 * cannot be found out, answers go on.
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

  add(call: Call): void {
    this.#open.add(call);
    this.#timer ??= setInterval(() => this.#lookAtAll(), LOOK_EVERY_MS).unref();
  }

  delete(call: Call): void {
    this.#open.delete(call);
  }

  #lookAtAll(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const call of this.#open) if (call.key !== undefined && !this.#looking.has(call)) void this.#look(call);
  }

  async #look(call: Call): Promise<void> {
    this.#looking.add(call);
    try {
      const refusal = await whyNotAdmitted(call, this.#keys, this.#sessions);
      if (refusal !== undefined) endAnswer(call, refusal);
    } catch {
      // The store is unreachable: asked again in a second.
    } finally {
      this.#looking.delete(call);
    }
  }
}
