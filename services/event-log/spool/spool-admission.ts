interface WaitingAnswer {
  readonly messages: number;
  readonly go: () => void;
}

/** Of what is forwarded, so much may come in anew: the rest of the time what waits gets less. */
const SHARE = 0.75;
/** What was forwarded while little came in counts up to here. */
const MOST_CREDIT = 10_000;

/**
 * While the log takes what waited in the spool, answers to what goes into it are held back, so that no load however great
 * puts in more than is taken out: the spool would never be empty again, and full in the end.
 */
export class SpoolAdmission {
  readonly #waiting: WaitingAnswer[] = [];
  #isOn = false;
  #credit = 0;

  /** Undefined where nothing is to be waited for. */
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

  /** Nothing is forwarded now: nobody waits for it. */
  off(): void {
    this.#isOn = false;
    this.#credit = 0;
    for (const { go } of this.#waiting.splice(0)) go();
  }

  /** In the order they came. A large one may leave a debt. */
  #release(): void {
    while (this.#credit > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#credit -= next.messages;
      next.go();
    }
  }
}
