/** Counts the requests that no project is there for: a wrong key, a wrong path, a page that may not send. */
import { keyIn } from '../http/access/authenticate.ts';
import type { Call } from '../http/call.ts';
import type { Refusal, RefusalKind } from '../http/problems.ts';
import type { RouteTable } from '../http/route-table.ts';
import type { Logger } from '../runtime/logger.ts';
import { NO_PROJECT_ID } from '../stores/service-state/refusal-store.ts';
import type { RefusalCounts } from './refusal-counts.ts';

interface StrangersParts {
  readonly counts: Pick<RefusalCounts, 'addGroup'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly nowMs?: () => number;
}

const CAUSES: readonly RefusalKind[] = ['unauthorized', 'not-found', 'method-not-allowed', 'origin-refused'];

const WARN_EVERY_MS = 60_000;
const GATHERED_MS = 1_000;
const MAX_KEY_START = 8;
const MAX_ORIGIN_CHARS = 100;

export class Strangers {
  readonly #parts: StrangersParts;
  #total = 0;
  #sinceWarning = new Map<RefusalKind, number>();
  #last: object = {};
  #warning: NodeJS.Timeout | undefined;
  #warnedAtMs = -Infinity;

  constructor(parts: StrangersParts) {
    this.#parts = parts;
  }

  /** How many there have been since the process began. */
  get total(): number {
    return this.#total;
  }

  /** Ignores what is not of these causes, and what is refused to a key that is known. */
  add(call: Call, { refused, detail }: Refusal, table: Pick<RouteTable, 'knownPart'>): void {
    // A 404 of a route is about an object, not about the path.
    const isStranger = CAUSES.includes(refused) && (refused !== 'not-found' || call.route === undefined);
    if (call.key !== undefined || !isStranger) return;
    const key = startOf(keyIn(call.headers) ?? call.keyInBody);
    const path = call.route?.path ?? table.knownPart(call.path);
    const from = senderOf(call, refused);
    this.#total++;
    this.#sinceWarning.set(refused, (this.#sinceWarning.get(refused) ?? 0) + 1);
    this.#last = { path, key, from };
    this.#parts.counts.addGroup(
      { projectId: NO_PROJECT_ID, keyId: key, path, code: refused, pointer: '' },
      `from ${from}: ${detail}`,
    );
    this.#warnSoon();
  }

  /** Idempotent. */
  stop(): void {
    clearTimeout(this.#warning);
    if (this.#sinceWarning.size > 0) this.#warn();
  }

  /** One line a minute, whatever comes. */
  #warnSoon(): void {
    const { nowMs = Date.now } = this.#parts;
    const waitMs = Math.max(GATHERED_MS, this.#warnedAtMs + WARN_EVERY_MS - nowMs());
    this.#warning ??= setTimeout(() => this.#warn(), Math.min(waitMs, WARN_EVERY_MS)).unref();
  }

  #warn(): void {
    const { logger, nowMs = Date.now } = this.#parts;
    this.#warning = undefined;
    this.#warnedAtMs = nowMs();
    const requests = Object.fromEntries(this.#sinceWarning);
    this.#sinceWarning = new Map();
    logger.warn({ requests, last: this.#last }, 'requests were refused that no project is known for');
  }
}

/** As much of a key as tells it from others, and at most a third: it may be a good one, or a password. '' without one. */
function startOf(key: string | undefined): string {
  if (key === undefined) return '';
  const start = key.slice(0, Math.min(MAX_KEY_START, Math.floor(key.length / 3)));
  return `${start.replace(/[^\x21-\x7e]/g, '?')}…`;
}

/** The other end of the connection, which may be a proxy's; of a page also its origin. */
function senderOf({ req, headers }: Call, refused: RefusalKind): string {
  const address = req.socket.remoteAddress ?? 'the Unix socket';
  return refused === 'origin-refused' ? `${headers.origin?.slice(0, MAX_ORIGIN_CHARS)} at ${address}` : address;
}
