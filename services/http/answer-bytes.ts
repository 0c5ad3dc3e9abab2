import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import { ReceivingBytes } from './receiving-bytes.ts';
import { endAnswer } from './send.ts';

/**
 * Bounds the bytes of answers that are being made or sent, in all and per project, as `ReceivingBytes` does those of bodies.
 * How large an answer is, is not known before it is made: it counts as the large ones that its project had last. So a
 * project with small pages has as many at once as there are places, and one with pages of 8 MB two.
 */
export class AnswerBytes {
  readonly #bytes: ReceivingBytes;
  readonly #mostOfOne: number;
  /** The size of each project's large answers; it falls by half with each answer that is smaller. */
  readonly #usual = new Map<string, number>();

  constructor(limit: number) {
    this.#bytes = new ReceivingBytes(limit);
    this.#mostOfOne = limit / 4;
  }

  /** For a route's `admitWhole`. */
  admit(call: Call): Refusal | undefined {
    const owner = call.projectId ?? '';
    const usual = this.#usual.get(owner) ?? 0;
    if (call.res.closed) return undefined;
    const own = this.#bytes.open(owner);
    if (!own.hold(Math.min(usual, this.#mostOfOne))) return TOO_MANY_BYTES;
    own.whenDropped(() => endAnswer(call, TOO_MANY_BYTES));
    call.res.once('close', () => {
      own.hold(0);
      this.#usual.set(owner, Math.max(call.answerBytes, (this.#usual.get(owner) ?? 0) / 2));
    });
    return undefined;
  }
}

const TOO_MANY_BYTES: Refusal = {
  refused: 'overloaded',
  detail: 'As many bytes of answers as this process may hold are being made and sent. Send it again later.',
};
