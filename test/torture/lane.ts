import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Ledger } from './check/ledger.ts';
import type { PlannedRequest, RequestMaker } from './requests.ts';

export interface LaneOptions {
  readonly dice: Dice;
  readonly maker: RequestMaker;
  readonly ledger: Ledger;
  readonly writeKey: string;
  /** Where to post, asked for each request; any of them. */
  readonly doors: () => readonly string[];
  readonly pauseMs: number;
  readonly patienceMs: readonly number[];
  readonly onAnswer: (reply: Reply) => void;
  /** An answer that no fault excuses. */
  readonly onWrong: (what: string) => void;
}

/** What came back: no status where nothing did. */
export interface Reply {
  readonly status: number | undefined;
  readonly answer: unknown;
  /** When it was asked for, by `performance.now`. */
  readonly begunAt: number;
}

/** Nothing of it is recorded (408: it did not arrive in time; 429), or perhaps something (503): it is sent again. */
const PASSING = [408, 429, 503];
/** How long a caller waits: some have little patience, so that requests are given up that go on being worked at. */
export const PATIENCE_MS: readonly number[] = [700, 2_000, 5_000, 20_000];

/** A caller that posts one request after another, and knows of each message what became of it. */
export class Lane {
  readonly #options: LaneOptions;
  #stopped = false;
  #hurried = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Resolves once it was stopped, and what it was about is answered, or cannot be sent again. */
  async run(): Promise<void> {
    const { maker, pauseMs, dice } = this.#options;
    while (!this.#stopped) {
      await this.#carryThrough(maker.next());
      await sleep(pauseMs * dice.next() * 2);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Gives up what is still not answered. */
  giveUp(): void {
    this.#stopped = true;
    this.#hurried = true;
  }

  async #carryThrough(request: PlannedRequest): Promise<void> {
    let ids: readonly (string | null)[] = request.items.map(() => null);
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#post(request, ids);
      const { status, answer } = reply;
      this.#options.onAnswer(reply);
      if (status !== undefined && !PASSING.includes(status)) return this.#settle(request, status, answer);
      const named = namesIn(answer, request);
      if (named !== undefined) ids = named;
      const isSafe = request.isNamed || status !== undefined || named !== undefined;
      if (!isSafe || this.#hurried) return;
      await sleep(Math.min(50 * 2 ** attempt, 1_000) * (0.5 + this.#options.dice.next()));
    }
  }

  #settle(request: PlannedRequest, status: number, answer: unknown): void {
    const { ledger, maker, onWrong } = this.#options;
    if (!request.isValid) {
      if (status !== 400) onWrong(`${status} for what is invalid: ${JSON.stringify(answer)}`);
      for (const item of request.items) if (item) ledger.refused(item.n);
      maker.forget(request);
      return;
    }
    const told = status === 200 ? request.told(answer) : undefined;
    if (told === undefined) return onWrong(`${status} ${request.path}: ${JSON.stringify(answer).slice(0, 500)}`);
    for (const [index, item] of request.items.entries()) {
      const name = told[index] ?? '';
      if (item === null) continue;
      if (item.messageId !== null && request.path.startsWith('/v1/') && name !== item.messageId) {
        onWrong(`${item.messageId} is answered as ${name}`);
      }
      ledger.answered(item.n, name);
    }
    maker.remember(request, told);
  }

  async #post(request: PlannedRequest, ids: readonly (string | null)[]): Promise<Reply> {
    const { dice, doors, writeKey, patienceMs } = this.#options;
    const isLegacy = request.path.startsWith('/legacy');
    const begunAt = performance.now();
    try {
      const response = await fetch(dice.pick(doors()) + request.path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [isLegacy ? 'service_key' : 'api_key']: writeKey,
          ...request.headers,
        },
        body: request.body(ids),
        signal: AbortSignal.timeout(dice.pick(patienceMs)),
      });
      return { status: response.status, answer: await response.json(), begunAt };
    } catch {
      return { status: undefined, answer: undefined, begunAt };
    }
  }
}

/** What a 503 asks to send the same messages again under. */
function namesIn(answer: unknown, { items }: PlannedRequest): readonly (string | null)[] | undefined {
  const { message_ids: names } = (answer ?? {}) as { message_ids?: readonly (string | null)[] };
  return names?.length === items.length ? names : undefined;
}
