/** A load generator that remembers what was answered 200, and looks for all of it afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { readersPassed } from './readers-passed.ts';
import type { ServiceProcess } from './service.ts';

const USERS = 8;
const EVENTS_A_BATCH = 5;

interface Sent {
  readonly answered: Set<string>;
  /** The highest `seq` trait that was answered 200, and the highest that was sent. */
  seqAnswered: number;
  seqSent: number;
  /** Receipts of its last requests. */
  receipts: readonly string[];
}

export interface Compared {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly wrongProfiles: readonly string[];
  /** Users whom an audience of those who tried at least once leaves out. */
  readonly missedByAudience: number;
  /** Users whom an audience credits with more events than were ever sent. */
  readonly overcounted: number;
}

export class RememberingLoad {
  readonly #users = new Map<string, Sent>(
    Array.from({ length: USERS }, (_, index) => [
      `user ${index}`,
      { answered: new Set(), seqAnswered: 0, seqSent: 0, receipts: [] },
    ]),
  );

  /** Messages answered 200 so far. */
  get answered(): number {
    return [...this.#users.values()].reduce((sum, { answered }) => sum + answered.size, 0);
  }

  /** Every user posts, batches and single messages in turn, one after the other, `pauseMs` apart, until the service is gone. */
  async run(service: ServiceProcess, pauseMs = 0): Promise<void> {
    await Promise.all([...this.#users.keys()].map((user) => this.#postUntilGone(service, user, pauseMs)));
  }

  /** The next requests of every user. */
  async post(service: ServiceProcess): Promise<void> {
    for (const user of this.#users.keys()) await this.#postOne(service, user);
  }

  /** Resolves once the readers have passed the last request of every user. */
  async caughtUp(service: ServiceProcess): Promise<void> {
    for (const { receipts } of this.#users.values()) {
      for (const receipt of receipts) await readersPassed(service, receipt);
    }
  }

  async compare(service: ServiceProcess): Promise<Compared> {
    const compared = { lost: [] as string[], doubled: [] as string[], wrongProfiles: [] as string[] };
    for (const [user, sent] of this.#users) {
      const held = await eventIds(service, user);
      compared.lost.push(...[...sent.answered].filter((id) => !held.includes(id)));
      compared.doubled.push(...held.filter((id, index) => held.indexOf(id) !== index));
      const seq = await seqOf(service, user);
      if (seq < sent.seqAnswered || seq > sent.seqSent) compared.wrongProfiles.push(`${user}: seq ${seq}`);
    }
    const mostSent = Math.max(...[...this.#users.values()].map(({ seqSent }) => seqSent)) * EVENTS_A_BATCH;
    return {
      ...compared,
      missedByAudience: USERS - (await countAudience(service, 1)),
      overcounted: await countAudience(service, mostSent + 1),
    };
  }

  async #postUntilGone(service: ServiceProcess, user: string, pauseMs: number): Promise<void> {
    for (;;) {
      try {
        await this.#postOne(service, user);
      } catch {
        return;
      }
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  async #postOne(service: ServiceProcess, user: string): Promise<void> {
    const sent = this.#users.get(user);
    if (sent === undefined) throw new Error(`nobody is called ${user}`);
    const seq = ++sent.seqSent;
    const track = (index: number): object => ({ user_id: user, event: 'Tried', properties: { seq, index } });
    const identify = { user_id: user, traits: { seq } };
    if (seq % 2 === 0) {
      const tracked = await posted(service, '/v1/track', track(0));
      sent.answered.add(tracked.message_id);
      // Beside the ones before, of which one is an identify's: the service may be gone before the next.
      sent.receipts = [...sent.receipts, tracked.receipt];
      const identified = await posted(service, '/v1/identify', identify);
      sent.receipts = [tracked.receipt, identified.receipt];
    } else {
      const events = Array.from({ length: EVENTS_A_BATCH }, (_, index) => ({ type: 'track', ...track(index) }));
      const batch = [...events, { type: 'identify', ...identify }];
      const { message_ids, receipt } = await posted(service, '/v1/batch', { batch });
      for (const id of message_ids.slice(0, EVENTS_A_BATCH)) sent.answered.add(id);
      sent.receipts = [receipt];
    }
    sent.seqAnswered = seq;
  }
}

interface Posted {
  readonly message_id: string;
  readonly message_ids: readonly string[];
  readonly receipt: string;
}

/** @throws Error unless it is answered 200. */
async function posted(service: ServiceProcess, path: string, body: object): Promise<Posted> {
  const response = await service.request(path, body);
  const answer = (await response.json()) as Posted;
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
  return answer;
}

export async function eventIds(service: ServiceProcess, user: string): Promise<string[]> {
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

export async function seqOf(service: ServiceProcess, user: string): Promise<number> {
  const answer = await service.request(`/v1/users/${encodeURIComponent(user)}`);
  const { traits } = (await answer.json()) as { traits: { seq: number } };
  return traits.seq;
}

/** How many users tried at least `times` times. */
export async function countAudience(service: ServiceProcess, times: number): Promise<number> {
  const definition = { event: 'Tried', count: { at_least: times } };
  const answer = await service.request('/v1/audiences/preview', { definition, sample: 0 });
  return ((await answer.json()) as { count: number }).count;
}
