interface WaitingAnswer {
  readonly messages: number;
  readonly go: () => void;
}

/** The share of forwarded messages that may be added anew: with the rest the spool becomes shorter. */
const SHARE = 0.75;
/** The most credit that accumulates while few messages come in. */
const MOST_CREDIT = 10_000;

/**
 * Back-pressure on callers while the spool is forwarded to the log. Answers to messages that go into the spool are delayed,
 * so that never more comes in than goes out, whatever the load: otherwise the spool would never empty, and would fill up.
 */
export class SpoolAdmission {
  readonly #waiting: WaitingAnswer[] = [];
  #isOn = false;
  #credit = 0;

  /** Resolves when the answer may be sent; undefined if that is now. */
  pass(messages: number): Promise<void> | undefined {
    if (!this.#isOn) return undefined;
    return new Promise((go) => {
      this.#waiting.push({ messages, go });
      this.#release();
    });
  }

  forwarded(messages: number): void {
    this.#isOn = true;
    this.#credit = Math.min(this.#credit + SHARE * messages, MOST_CREDIT);
    this.#release();
  }

  /** Nothing is forwarded now: releases every answer. */
  off(): void {
    this.#isOn = false;
    this.#credit = 0;
    for (const { go } of this.#waiting.splice(0)) go();
  }

  /** In the order of arrival. A large one may leave a debt. */
  #release(): void {
    while (this.#credit > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#credit -= next.messages;
      next.go();
    }
  }
}
