/** A load on the HTTP interface that sends everything until it is answered 200, and then knows what must be there, once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/event-log/event-log.ts';
import { readersPassed } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';

const USERS = 8;
const EVENTS_A_BATCH = 5;

interface Sent {
  readonly ids: string[];
  seq: number;
  /** The receipt of the last batch that was answered 200 and was in the log by then, and when that batch was begun. */
  receipt: string;
  begunAt: number;
}

/** What is wrong with what the service tells; nothing, where every message answered 200 is there, once. */
export interface Wrong {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly wrongProfiles: readonly string[];
  readonly wrongAudiences: readonly string[];
}

export const NOTHING_WRONG: Wrong = { lost: [], doubled: [], wrongProfiles: [], wrongAudiences: [] };

export class RememberingPosts {
  /** Answers other than 200, 429 and 503. */
  readonly wrongAnswers: string[] = [];
  /** Batches that were not answered 200, and were sent again as they were. */
  repeats = 0;
  /** Batches that were answered 200 while they waited in the spool. */
  spooled = 0;
  readonly #users = new Map<string, Sent>(
    Array.from({ length: USERS }, (_, index) => [`user ${index}`, { ids: [], seq: 0, receipt: '', begunAt: 0 }]),
  );
  readonly #doors: () => readonly ServiceProcess[];
  readonly #pauseMs: number;
  #running: Promise<unknown> | undefined;
  #stopped = false;

  /**
   * @param doors Where to post: asked for every batch; another is taken where one fails.
   * @param pauseMs Between two batches of one user: what is written has to be read back, event by event.
   */
  constructor(doors: () => readonly ServiceProcess[], pauseMs = 50) {
    this.#doors = doors;
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#running = Promise.all([...this.#users].map(([user, sent], index) => this.#post(user, sent, index)));
  }

  /** Resolves once all that was sent is answered 200. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Messages answered 200. */
  get answered(): number {
    return [...this.#users.values()].reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /**
   * Resolves once every user was answered something begun after this (`performance.now`) that did not go to the spool,
   * and the readers passed it.
   */
  async passedSince(sinceMs: number, door: ServiceProcess): Promise<void> {
    const all = [...this.#users.values()];
    await until(() => all.every(({ begunAt }) => begunAt > sinceMs));
    await Promise.all(all.map(({ receipt }) => readersPassed(door, receipt)));
  }

  /** The ids of each user's events that were answered 200, in the order sent. */
  get sent(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.#users].map(([user, { ids }]) => [user, ids]));
  }

  async compare(door: ServiceProcess): Promise<Wrong> {
    const wrong = { lost: [] as string[], doubled: [] as string[], wrongProfiles: [] as string[] };
    for (const [user, { ids, seq }] of this.#users) {
      const held = await eventIds(door, user);
      const once = new Set(held);
      wrong.lost.push(...ids.filter((id) => !once.has(id)));
      wrong.doubled.push(...held.filter((id, index) => held.indexOf(id) !== index));
      const shown = await seqOf(door, user);
      if (shown !== seq) wrong.wrongProfiles.push(`${user}: ${shown} instead of ${seq}`);
    }
    return { ...wrong, wrongAudiences: await this.#wrongAudiences(door) };
  }

  /** Every count of events at which somebody is in, and the next at which they are not. */
  async #wrongAudiences(door: ServiceProcess): Promise<readonly string[]> {
    const counts = [...this.#users.values()].map(({ ids }) => ids.length);
    const wrong: string[] = [];
    for (const times of new Set(counts.flatMap((count) => [count, count + 1]))) {
      const [expected, found] = [counts.filter((count) => count >= times).length, await countAudience(door, times)];
      if (found !== expected) wrong.push(`at least ${times}: ${found} instead of ${expected}`);
    }
    return wrong;
  }

  async #post(user: string, sent: Sent, index: number): Promise<void> {
    for (let attempt = index; !this.#stopped; attempt++) {
      const ids = Array.from({ length: EVENTS_A_BATCH }, () => randomUUID());
      const batch = batchOf(user, ids, ++sent.seq);
      for (;;) {
        const begunAt = performance.now();
        const receipt = await this.#receiptOf(batch, attempt);
        if (receipt !== undefined) {
          sent.ids.push(...ids);
          if (receipt === null) this.spooled++;
          else Object.assign(sent, { receipt, begunAt });
          break;
        }
        attempt++;
        this.repeats++;
        await sleep(this.#pauseMs);
      }
      await sleep(this.#pauseMs);
    }
  }

  /** Undefined where it was not answered 200; null where it waits in the spool. */
  async #receiptOf(batch: readonly unknown[], attempt: number): Promise<string | null | undefined> {
    const doors = this.#doors();
    const door = doors[attempt % doors.length];
    try {
      const response = await door?.request('/v1/batch', { batch });
      const body = (await response?.json()) as { receipt: string | null } | undefined;
      if (response?.status === 200) return body?.receipt;
      if (response?.status !== 503 && response?.status !== 429) this.wrongAnswers.push(JSON.stringify(body));
    } catch {
      // Killed in the middle of it: it may be in the log.
    }
    return undefined;
  }
}

/** A retry has the same ids and times. */
function batchOf(user: string, ids: readonly string[], seq: number): readonly unknown[] {
  const said = { user_id: user, timestamp: new Date().toISOString() };
  const events = ids.map((message_id, index) => {
    return { ...said, type: 'track', event: 'Tried', message_id, properties: { seq, index } };
  });
  return [...events, { ...said, type: 'identify', message_id: randomUUID(), traits: { seq } }];
}

async function eventIds(service: ServiceProcess, user: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path = `/v1/users/${encodeURIComponent(user)}/events?limit=1000${cursor && `&cursor=${cursor}`}`;
    const answer = await service.request(path);
    const page = (await answer.json()) as { events: { message_id: string }[]; next_cursor: string | null };
    ids.push(...page.events.map((event) => event.message_id));
    cursor = page.next_cursor;
  }
  return ids;
}

async function seqOf(service: ServiceProcess, user: string): Promise<number> {
  const answer = await service.request(`/v1/users/${encodeURIComponent(user)}`);
  const { traits } = (await answer.json()) as { traits: { seq: number } };
  return traits.seq;
}

/** How many users tried at least this often. */
async function countAudience(service: ServiceProcess, times: number): Promise<number> {
  const definition = { event: 'Tried', count: { at_least: times } };
  const answer = await service.request('/v1/audiences/preview', { definition, sample: 0 });
  return ((await answer.json()) as { count: number }).count;
}
