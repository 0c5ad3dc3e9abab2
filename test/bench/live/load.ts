/** Messages at a fixed rate, evenly spaced, of different users and kinds: the load of the benchmark of live audiences. */
import { Agent, request } from 'node:http';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceProcess, WRITE_KEY } from '../../support/service/service.ts';

export interface LiveLoadReport {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx, and what was never answered. */
  readonly errors: number;
}

interface LoadSize {
  readonly rate: number;
  readonly changes: number;
  readonly dues: number;
  readonly seconds: number;
  /** How many of ten messages of a user come by an anonymous id alone. Above 0 identifies and newcomers have both ids. */
  readonly anonymous: number;
}

export const LEAVES_AFTER_MS = 20_000;

const HOUR_MS = 3_600_000;
/** Known before it is measured: the warm-up has a session of each. */
export const USERS = 1_000;
const CONNECTIONS = 64;
/** How many events a user sends, one after another, before the next user comes. */
export const SESSION = 10;

export class LiveLoad {
  /** When each user who enters was posted, in milliseconds since 1970; by user id. */
  readonly enteredAt = new Map<string, number>();
  /** When the time of each user is over who is there for a while only. */
  readonly leavesAt = new Map<string, number>();
  readonly #service: ServiceProcess;
  readonly #size: LoadSize;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  #sent = 0;

  constructor(service: ServiceProcess, size: LoadSize) {
    this.#service = service;
    this.#size = size;
  }

  /** @param isMeasured Whether users enter, and are noted. */
  async run(seconds: number, isMeasured: boolean): Promise<LiveLoadReport> {
    const { rate } = this.#size;
    const latencyUs = createHistogram();
    const answers: Promise<void>[] = [];
    const startedMs = performance.now();
    let errors = 0;
    const total = Math.round(rate * seconds);
    for (let sent = 0; sent < total;) {
      for (; sent < Math.min(total, ((performance.now() - startedMs) * rate) / 1000); sent++) {
        const dueMs = startedMs + (sent * 1000) / rate;
        const settled = (isAnswered: boolean): void => {
          if (!isAnswered) errors++;
          latencyUs.record(Math.max(1, Math.round((performance.now() - dueMs) * 1000)));
        };
        answers.push(this.#post(isMeasured).then(settled, () => settled(false)));
      }
      await delay(1);
    }
    await Promise.all(answers);
    return { p50Ms: latencyUs.percentile(50) / 1000, p99Ms: latencyUs.percentile(99) / 1000, errors };
  }

  #post(isMeasured: boolean): Promise<boolean> {
    const number = this.#sent++;
    const { rate, changes, dues, seconds } = this.#size;
    if (isMeasured && number % Math.round(rate / changes) === 0) return this.#newcomer(number);
    if (isMeasured && number % Math.round((rate * seconds) / dues) === 1) return this.#shortVisit(number);
    const user_id = `user-${(Math.floor(number / SESSION) * 7_919) % USERS}`;
    if (number % SESSION === 9) {
      const traits = { plan: ['free', 'team', 'pro'][number % 3], age: 18 + (number % 60) };
      return this.#send('/v1/identify', { ...this.#bothIds(user_id), traits });
    }
    const event = number % 20 === 3 ? 'Order Completed' : 'Page Viewed';
    const properties = { path: `/p/${number % 997}`, total: number % 90 };
    const ids = number % SESSION < this.#size.anonymous ? { anonymousId: `device of ${user_id}` } : { user_id };
    return this.#send('/v1/track', { ...ids, event, properties });
  }

  #newcomer(number: number): Promise<boolean> {
    const user_id = `newcomer-${number}`;
    this.enteredAt.set(user_id, Date.now());
    return this.#send('/v1/track', { ...this.#bothIds(user_id), event: 'Signed Up', properties: { plan: 'free' } });
  }

  #bothIds(user_id: string): object {
    return this.#size.anonymous > 0 ? { user_id, anonymousId: `device of ${user_id}` } : { user_id };
  }

  /** The event is almost an hour old, and the audience has those who were there within the last hour. */
  #shortVisit(number: number): Promise<boolean> {
    const user_id = `visitor-${number}`;
    const leavesAt = Date.now() + LEAVES_AFTER_MS;
    this.leavesAt.set(user_id, leavesAt);
    const timestamp = new Date(leavesAt - HOUR_MS).toISOString();
    return this.#send('/v1/track', { user_id, event: 'Was Here', timestamp });
  }

  #send(path: string, body: object): Promise<boolean> {
    const text = JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const headers = {
      'content-type': 'application/json',
      api_key: WRITE_KEY,
      'content-length': Buffer.byteLength(text),
    };
    const sent = request(this.#service.url + path, { method: 'POST', agent: this.#agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(Math.floor((answer.statusCode ?? 0) / 100) === 2));
    });
    sent.once('error', reject);
    sent.end(text);
    return promise;
  }
}
