/** As many callers as a process can stand, and more: batches sent again until they are answered, so that all must be there. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalyticsReader } from '../../services/stores/analytics/analytics-store.ts';
import type { Queryable } from '../../services/stores/database/database.ts';
import { WRITE_KEY } from '../support/service/service.ts';

const TRACKS = 60;
const IDENTIFIES = 40;
const NOTE = 'x'.repeat(3_000);
/** Where it is told to come again later; the service says a second or more. */
const AGAIN_MS = 100;
const PATIENCE_MS = 30_000;
const AMPLE = { maxMs: 120_000, maxMemoryBytes: 2 ** 33, maxRowsRead: 2 ** 40 };

/** What one caller has sent: batches are numbered from 1 on. */
interface Caller {
  answered: number;
  sent: number;
}

export class Flood {
  /** By status; `none` where there was no answer. */
  readonly answers = new Map<string, number>();
  /** Answers 429 and 503 that do not say when to come again, and others that should not be. */
  readonly wrong: string[] = [];
  offeredBytes = 0;
  readonly #door: string;
  readonly #name: string;
  readonly #callers: readonly Caller[];
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(door: string, name: string, callers: number) {
    this.#door = door;
    this.#name = name;
    this.#callers = Array.from({ length: callers }, () => ({ answered: 0, sent: 0 }));
  }

  get answeredBatches(): number {
    return this.#callers.reduce((sum, { answered }) => sum + answered, 0);
  }

  start(): void {
    this.#running = Promise.all(this.#callers.map((caller, index) => this.#post(caller, index)));
  }

  /** Resolves once every batch that was begun is answered 200. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Somebody with many large events. */
  get user(): string {
    return userOf(this.#name, 0);
  }

  /** What is missing or doubled of what was answered 200. */
  async wrongIn(analytics: AnalyticsReader, database: Queryable): Promise<readonly string[]> {
    return [...(await this.#wrongEvents(analytics)), ...(await this.#wrongProfiles(database))];
  }

  async #wrongEvents(analytics: AnalyticsReader): Promise<readonly string[]> {
    const sql = `SELECT arrayElement(splitByChar('/', message_id), 2) AS caller, toString(uniqExact(message_id)) AS ids,
                        toString(count()) AS events
                 FROM events WHERE event = {name:String} GROUP BY caller`;
    const { rows } = await analytics.ask({ sql, params: { name: this.#name } }, AMPLE);
    const found = new Map(rows.map((row) => [String(row['caller']), row]));
    return this.#callers.flatMap(({ answered }, index) => {
      const row = found.get(String(index));
      const [ids, events] = [Number(row?.['ids'] ?? 0), Number(row?.['events'] ?? 0)];
      const isRight = ids === answered * TRACKS && events === ids;
      return isRight ? [] : [`${this.#name}: ${events} events, ${ids} ids of ${answered * TRACKS} of caller ${index}`];
    });
  }

  async #wrongProfiles(database: Queryable): Promise<readonly string[]> {
    const rows = await database.query<{ caller: string; lowest: string; users: string }>(
      `select traits ->> 'caller' as caller, min((traits ->> 'batch')::int8)::text as lowest, count(*)::text as users
       from profiles where traits ->> 'flood' = $1 group by caller`,
      [this.#name],
    );
    const found = new Map(rows.map((row) => [row.caller, row]));
    return this.#callers.flatMap(({ answered }, index) => {
      const { lowest, users } = found.get(String(index)) ?? { lowest: '0', users: '0' };
      if (Number(lowest) === answered && Number(users) === (answered === 0 ? 0 : IDENTIFIES)) return [];
      return [`${this.#name}: ${users} profiles of caller ${index} are at ${lowest} of ${answered}`];
    });
  }

  async #post(caller: Caller, index: number): Promise<void> {
    while (!this.#stopped) {
      const body = JSON.stringify({ batch: batchOf(this.#name, index, ++caller.sent) });
      while (!(await this.#isAnswered(body))) await sleep(AGAIN_MS);
      caller.answered = caller.sent;
    }
  }

  async #isAnswered(body: string): Promise<boolean> {
    this.offeredBytes += body.length;
    try {
      const response = await fetch(`${this.#door}/v1/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', api_key: WRITE_KEY },
        body,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      this.#note(response);
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      this.#count('none');
      return false;
    }
  }

  #note({ status, headers }: Response): void {
    this.#count(String(status));
    const isAgain = status === 429 || status === 503;
    if (isAgain && !/^\d+$/.test(headers.get('retry-after') ?? '')) this.wrong.push(`${status} without Retry-After`);
    if (!isAgain && status !== 200) this.wrong.push(String(status));
  }

  #count(name: string): void {
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
  }
}

function userOf(name: string, caller: number): string {
  return `${name} ${caller}`;
}

/** About 250 KB: large events of one user, and traits of many. */
function batchOf(name: string, caller: number, batch: number): object[] {
  const id = (what: string, index: number): string => `${name}/${caller}/${batch}/${what}${index}`;
  const timestamp = new Date().toISOString();
  const tracks = Array.from({ length: TRACKS }, (_, index) => {
    const properties = { note: NOTE, batch };
    const user_id = userOf(name, caller);
    return { type: 'track', user_id, event: name, message_id: id('t', index), timestamp, properties };
  });
  const identifies = Array.from({ length: IDENTIFIES }, (_, index) => {
    const traits = { flood: name, caller, batch, note: NOTE.slice(0, 1_000) };
    return { type: 'identify', user_id: `${name} ${caller} ${index}`, message_id: id('i', index), timestamp, traits };
  });
  return [...tracks, ...identifies];
}
