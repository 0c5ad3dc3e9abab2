/** Requests as callers send them, valid and not, of every endpoint that takes messages. */
import { randomUUID } from 'node:crypto';
import { type Answered, type Item, ItemMaker, type MakerOptions, nameOf } from './items.ts';
import type { TestedUser } from './project.ts';

export interface PlannedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The message at each place of the request; null where the item is invalid. */
  readonly items: readonly (Item | null)[];
  /** Whether it may be sent again as it is, however it was answered. */
  readonly isNamed: boolean;
  readonly isValid: boolean;
  /** @param ids What to send each item under, where the caller did not name it. */
  body(ids: readonly (string | null)[]): string;
  /** What a 200 names each item by; undefined where it is not the answer that it should be. */
  told(answer: unknown): readonly (string | null)[] | undefined;
}

const INVALID_ITEMS = [
  '{"type":"track","user_id":5,"event":"x"}',
  '{"type":"nothing known","user_id":"ada"}',
  '{"type":"track","user_id":"ada","event":"x","timestamp":"2026-02-30T00:00:00Z"}',
  '{"type":"identify","user_id":"ada","traits":{"a":"\\u0000"}}',
  '{"type":"track","user_id":"ada"}',
  'null',
];
/** Nobody, nothing, or no call: all else in the form of an SDK is mended. */
const INVALID_SDK_ITEMS = [
  '{"type":"track","event":"x"}',
  '{"type":"nothing known","userId":"ada"}',
  '{"type":"track","userId":"ada"}',
  'null',
];
/** What SDKs call the members of the interface's own form. */
const SDK_NAMES: Readonly<Record<string, string>> = { user_id: 'userId', message_id: 'messageId' };
const REMEMBERED = 40;

export class RequestMaker {
  readonly #options: MakerOptions;
  readonly #users: readonly TestedUser[];
  readonly #items: ItemMaker;
  readonly #sessions = new Map<string, string>();
  readonly #answered: (Answered & { readonly kind: 'identify' | 'track' })[] = [];

  constructor(options: MakerOptions, users: readonly TestedUser[]) {
    this.#options = options;
    this.#users = users;
    this.#items = new ItemMaker(options);
  }

  next(): PlannedRequest {
    const roll = this.#options.dice.between(0, 99);
    if (roll < 12) return this.#single('identify');
    if (roll < 30) return this.#single('track');
    if (roll < 36) return this.#projectUser();
    if (roll < 46) return this.#addEvent();
    if (roll < 50) return this.#invalid();
    if (roll < 60) return this.#repeat();
    return this.#batch();
  }

  /** To be told of what was answered, so that some of it is repeated, and sessions go on. */
  remember({ path, items }: PlannedRequest, told: readonly (string | null)[]): void {
    for (const [index, item] of items.entries()) {
      if (item === null) continue;
      for (const trait of item.told) this.#options.told.answered(nameOf(item.user), trait, item.n);
      const name = told[index];
      if (path.endsWith('/project-user') && name) this.#sessions.set(nameOf(item.user), name);
      if (item.messageId === null || !path.startsWith('/v1/')) continue;
      const kind = item.event === null ? 'identify' : 'track';
      if (item.event !== 'page') this.#answered.push({ ...item, kind });
    }
    if (this.#answered.length > REMEMBERED) this.#answered.splice(0, this.#answered.length - REMEMBERED);
  }

  /** To be told of what was refused for good. */
  forget({ items }: PlannedRequest): void {
    for (const item of items) {
      for (const trait of item?.told ?? []) if (item) this.#options.told.refused(nameOf(item.user), trait, item.n);
    }
  }

  #user(): TestedUser {
    return this.#options.dice.pick(this.#users);
  }

  #single(kind: 'identify' | 'track'): PlannedRequest {
    return single(`/v1/${kind}`, this.#items[kind](this.#user(), kind));
  }

  #repeat(): PlannedRequest {
    const [first] = this.#answered;
    if (first === undefined) return this.#single('track');
    const repeated = this.#options.dice.pick(this.#answered);
    return single(`/v1/${repeated.kind}`, this.#items[repeated.kind](repeated.user, repeated.kind, repeated));
  }

  /** In the form of SDKs it may have pages, and is lenient unasked. */
  #batch(isSdk = this.#options.dice.chance(0.3)): PlannedRequest {
    const { dice } = this.#options;
    const isLenient = dice.chance(0.3);
    const items: (Item | null)[] = Array.from({ length: dice.between(1, 25) }, () => this.#batchItem(isSdk));
    const texts = new Map<number, string>();
    if (isLenient) {
      for (let count = dice.between(0, 4); count > 0; count--) items.splice(dice.between(0, items.length), 0, null);
      for (const [index, item] of items.entries())
        if (item === null) texts.set(index, dice.pick(isSdk ? INVALID_SDK_ITEMS : INVALID_ITEMS));
    }
    const key = dice.chance(0.2) ? randomUUID() : undefined;
    return {
      path: '/v1/batch',
      headers: { ...(isLenient && !isSdk && { prefer: 'handling=lenient' }), ...(key && { 'idempotency-key': key }) },
      items,
      isNamed: key !== undefined || items.every((item) => item === null || item.messageId !== null),
      isValid: true,
      body: (ids) => {
        const names = isSdk ? SDK_NAMES : {};
        const written = items.map((item, index) => (item ? typed(item, ids[index] ?? null, names) : texts.get(index)));
        return `{${isSdk ? '"sentAt":null,' : ''}"batch":[${written.join(',')}]}`;
      },
      told: (answer) => {
        const { success, message_ids: names } = answer as { success?: unknown; message_ids?: (string | null)[] };
        const fits = success === true && names?.length === items.length;
        return fits && names.every((name, at) => (name === null) === (items[at] === null)) ? names : undefined;
      },
    };
  }

  #batchItem(isSdk: boolean): Item {
    const roll = this.#options.dice.between(0, 9);
    if (roll < 3) return this.#items.identify(this.#user(), 'batch');
    return roll === 9 && isSdk ? this.#items.page(this.#user()) : this.#items.track(this.#user(), 'batch');
  }

  #projectUser(): PlannedRequest {
    const user = this.#options.dice.pick(this.#users.filter(({ userId }) => userId !== null));
    const item = this.#items.session(user);
    return {
      ...single('/legacy/project-user', item),
      told: (answer) => {
        const { result } = answer as { result?: { user_id?: unknown; session_id?: unknown } };
        const { user_id: id, session_id: session } = result ?? {};
        return id === user.userKey && typeof session === 'string' ? [session] : undefined;
      },
    };
  }

  #addEvent(): PlannedRequest {
    const known = this.#users.filter((user) => this.#sessions.has(nameOf(user)));
    if (known.length === 0) return this.#projectUser();
    const user = this.#options.dice.pick(known);
    return {
      ...single('/legacy/add-event', this.#items.addEvent(user, this.#sessions.get(nameOf(user)) ?? '')),
      told: (answer) => {
        const { result } = answer as { result?: { insertedEvent?: { insertedId?: unknown } } };
        const id = result?.insertedEvent?.insertedId;
        return typeof id === 'string' ? [id] : undefined;
      },
    };
  }

  /** A batch of which one item is wrong: nothing of it may be recorded. */
  #invalid(): PlannedRequest {
    const batch = this.#batch(false);
    // One that has a user_id: beside users known by an anonymousId alone, others would be a batch in the form of SDKs.
    const wrong = this.#options.dice.pick(INVALID_ITEMS.filter((text) => text.includes('user_id')));
    const body = (ids: readonly (string | null)[]): string => `${batch.body(ids).slice(0, -2)},${wrong}]}`;
    return { ...batch, headers: {}, isValid: false, body };
  }
}

function single(path: string, item: Item): PlannedRequest {
  return {
    path,
    headers: {},
    items: [item],
    isNamed: item.messageId !== null,
    isValid: true,
    body: ([id]) => objectOf(item, id ?? null),
    told: (answer) => {
      const { success, message_id: name } = answer as { success?: unknown; message_id?: unknown };
      return success === true && typeof name === 'string' ? [name] : undefined;
    },
  };
}

function typed(item: Item, id: string | null, names: Readonly<Record<string, string>>): string {
  const type = item.event === null ? 'identify' : item.members.some(([name]) => name === 'event') ? 'track' : 'page';
  return `{"type":"${type}",${objectOf(item, id, names).slice(1)}`;
}

function objectOf(
  { members, messageId }: Item,
  id: string | null,
  names: Readonly<Record<string, string>> = {},
): string {
  const name = messageId ?? id;
  const all = name === null ? members : [...members, ['message_id', JSON.stringify(name)]];
  return `{${all.map(([key, text]) => `${JSON.stringify(names[key] ?? key)}:${text}`).join(',')}}`;
}
