/** Requests that are sent again with the same Idempotency-Key: what they do is done once, and answered the same again. */
import { createHash } from 'node:crypto';
import type { Logger } from '../runtime/logger.ts';
import type { KeptAnswer, KeptRequest, SqlRepeatStore } from '../stores/service-state/repeat-store.ts';
import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import type { Answer, Route } from './route.ts';

export interface RepeatsParts {
  readonly store: SqlRepeatStore;
  readonly logger: Logger;
}

const MAX_KEY_LENGTH = 255;
const MAX_BODY_LENGTH = 65_536;

/** Whether requests to it may have an Idempotency-Key that counts here: what records messages has its own meaning of it. */
export function isRepeatable({ method, scope }: Pick<Route, 'method' | 'scope'>): boolean {
  return method === 'POST' && (scope === 'admin' || scope === 'audiences');
}

export class Repeats {
  readonly #store: SqlRepeatStore;
  readonly #logger: Logger;

  constructor({ store, logger }: RepeatsParts) {
    this.#store = store;
    this.#logger = logger;
  }

  /** The key of a request that is to be done once; undefined where it has none. */
  keyOf({ headers }: Call, route: Route): string | undefined {
    if (!isRepeatable(route)) return undefined;
    const given = headers['idempotency-key'];
    return typeof given === 'string' && given !== '' ? given : undefined;
  }

  /**
   * What the first request of this key was answered, or what `run` answers where this is the first. What refuses, and has
   * done nothing, is not kept.
   *
   * @param run Does what is asked, and has recorded it once it resolves.
   */
  async answer(call: Call, key: string, run: () => Promise<Answer | Refusal>): Promise<Answer | Refusal> {
    if (key.length > MAX_KEY_LENGTH) return TOO_LONG;
    const principal = call.key?.id ?? 'none';
    const name = hashOf(principal, call.projectId ?? '', key);
    const fingerprint = hashOf(call.req.method ?? '', call.path, call.search, call.body);
    const first = await this.#store.begin({ name, principal, fingerprint, atMs: Date.now() });
    if (first !== undefined) return again(first, fingerprint);
    let outcome: Answer | Refusal | undefined;
    try {
      outcome = await run();
      return outcome;
    } finally {
      await this.#keep(name, outcome);
    }
  }

  /** Never throws: what was asked for has been done. */
  async #keep(name: string, outcome: Answer | Refusal | undefined): Promise<void> {
    try {
      if (outcome === undefined || 'refused' in outcome) await this.#store.forget(name);
      else await this.#store.finish(name, keptOf(outcome));
    } catch (error) {
      this.#logger.warn({ err: error }, 'the answer to an Idempotency-Key was not kept');
    }
  }
}

function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}

function keptOf({ status, headers = {}, body, audit, isSecret }: Answer): KeptAnswer {
  const isKept = typeof body === 'string' && body.length <= MAX_BODY_LENGTH && isSecret !== true;
  const [change] = [audit].flat();
  return { status, headers, body: isKept ? body : null, made: headers['Location'] ?? change?.object ?? null };
}

function again({ fingerprint: before, answer }: KeptRequest, fingerprint: string): Answer | Refusal {
  if (before !== fingerprint) return OTHER_REQUEST;
  if (answer === null) return IN_PROGRESS;
  const { status, headers, body, made } = answer;
  if (body !== null) return { status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body };
  const what = made === null ? '' : ` What it made is ${made}.`;
  const detail = `The request of this Idempotency-Key was carried out, and its answer is not shown again.${what}`;
  return { refused: 'already-done', detail };
}

const TOO_LONG: Refusal = {
  refused: 'invalid-parameter',
  detail: `Idempotency-Key is longer than ${MAX_KEY_LENGTH} characters.`,
};

const OTHER_REQUEST: Refusal = {
  refused: 'key-reused',
  detail: 'Another request was sent with this Idempotency-Key within 24 hours. Use a new one for each request.',
};

const IN_PROGRESS: Refusal = {
  refused: 'in-progress',
  detail:
    'The request of this Idempotency-Key is not answered yet. If this stays so, its process ended: look whether it was carried out.',
};
