/** One message as it is sent: the members of its JSON object, and what the ledger was told of it. */
import { randomUUID } from 'node:crypto';
import { canonical } from './check/canonical.ts';
import type { Dice } from './dice.ts';
import type { Expected, Ledger } from './check/ledger.ts';
import type { TestedProject, TestedUser } from './project.ts';
import { randomKey, randomPresence, randomValue } from './random-json.ts';
import { randomInstant, writeTime, type WrittenTime } from './random-time.ts';
import { TOLD_TRAITS, type TraitsTold } from './check/traits-told.ts';

/** A message of a request. */
export interface Item {
  readonly n: number;
  readonly user: TestedUser;
  /** The caller's, from the first attempt on. */
  readonly messageId: string | null;
  /** Names and JSON texts, but for the message's id. */
  readonly members: readonly (readonly [string, string])[];
  readonly event: string | null;
  readonly timestamp: WrittenTime | null;
  /** Traits whose values the answers alone can tell. */
  readonly told: readonly string[];
}

/** What a repeat is made of. */
export type Answered = Pick<Item, 'user' | 'messageId' | 'event' | 'timestamp'>;

export interface MakerOptions {
  readonly dice: Dice;
  readonly project: TestedProject;
  readonly ledger: Ledger;
  readonly told: TraitsTold;
}

const EVENTS = ['Order Completed', 'order completed', 'Ünïcode 😀', 'a.b', "x'; --", 'page'];
const DAY_MS = 86_400_000;

export class ItemMaker {
  readonly #options: MakerOptions;

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  /** @param repeated Makes a later copy of this one, with other content. */
  track(user: TestedUser, source: string, repeated?: Answered): Item {
    const { dice } = this.#options;
    const event = repeated?.event ?? dice.pick(EVENTS);
    const timestamp = repeated === undefined ? this.#time() : repeated.timestamp;
    const content = this.#object([]);
    const item = { kind: 'track', user, source, event, timestamp, content, told: [], repeated } as const;
    return this.#item(item, [
      ['event', JSON.stringify(event)],
      ['properties', content],
    ]);
  }

  /** As SDKs send it: its name is kept under the properties. */
  page(user: TestedUser): Item {
    const timestamp = this.#time();
    const properties = this.#object([]);
    const content = `{"name":"Home",${properties.slice(1)}`;
    const item = { kind: 'track', user, source: 'batch', event: 'page', timestamp, content, told: [] } as const;
    return this.#item(item, [
      ['name', '"Home"'],
      ['properties', properties],
    ]);
  }

  identify(user: TestedUser, source: string, repeated?: Answered): Item {
    const { dice, ledger, told } = this.#options;
    const isTold = repeated === undefined && dice.chance(0.4);
    const timestamp = isTold ? this.#longAgo() : (repeated?.timestamp ?? (repeated ? null : this.#time()));
    const traits = isTold ? TOLD_TRAITS.filter(() => dice.chance(0.5)) : [];
    const said = traits.map((trait) => [trait, dice.chance(0.25) ? 'null' : randomPresence(dice)] as const);
    const n = ledger.next;
    for (const [trait, text] of said) {
      const value = text === 'null' ? null : canonical(text);
      told.sent(nameOf(user), trait, { n, micros: timestamp?.micros ?? 0n, value });
    }
    const content = this.#object(said);
    const item = { kind: 'identify', user, source, event: null, timestamp, content, told: traits, repeated } as const;
    return this.#item(item, [['traits', content]]);
  }

  session(user: TestedUser): Item {
    const anonymous = this.#options.dice.chance(0.3);
    const content = this.#object([]);
    const item = {
      kind: 'session',
      user,
      source: 'project-user',
      event: null,
      timestamp: null,
      content,
      told: [],
    } as const;
    const members = [
      ['anonymous', String(anonymous)],
      ['custom_parameters', content],
    ] as const;
    return this.#item({ ...item, anonymous }, members);
  }

  addEvent(user: TestedUser, sessionId: string): Item {
    const event = this.#options.dice.pick(EVENTS);
    const content = this.#object([]);
    const item = { kind: 'track', user, source: 'add-event', event, timestamp: null, content, told: [] } as const;
    const said = `{"name":${JSON.stringify(event)},"parameters":${content}}`;
    return this.#item({ ...item, sessionId }, [
      ['session_id', JSON.stringify(sessionId)],
      ['event', said],
    ]);
  }

  #item(
    said: Pick<Expected, 'kind' | 'source' | 'event' | 'content'> &
      Partial<Pick<Expected, 'anonymous' | 'sessionId'>> &
      Pick<Item, 'user' | 'timestamp' | 'told'> & { readonly repeated?: Answered | undefined },
    members: Item['members'],
  ): Item {
    const { dice, ledger } = this.#options;
    const { user, timestamp, repeated, told, ...rest } = said;
    const { projectId, userKey, anonymousId } = user;
    const messageId = repeated ? repeated.messageId : dice.chance(0.6) ? newId(dice) : null;
    const isAddEvent = said.source === 'add-event';
    const n = ledger.add({
      anonymous: null,
      sessionId: null,
      ...rest,
      projectId,
      userKey,
      userId: isAddEvent ? null : user.userId,
      anonymousId: isAddEvent ? null : anonymousId,
      messageId,
      timestamp: timestamp?.micros ?? null,
      isRepeat: repeated !== undefined,
    });
    const time: Item['members'] = timestamp === null ? [] : [['timestamp', JSON.stringify(timestamp.text)]];
    const all = [...naming(user, isAddEvent), ...members, ...time];
    return { n, user, messageId, members: all, event: said.event, timestamp, told };
  }

  /** An object with the message's number, a few members, and these. */
  #object(more: readonly (readonly [string, string])[]): string {
    const { dice, ledger } = this.#options;
    const some = Array.from({ length: dice.between(0, 4) }, () => [randomKey(dice), randomValue(dice)] as const);
    const members = [...some, ['n', String(ledger.next)] as const, ...more];
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  }

  /** None, just now, long ago, before 1970, or still to come. */
  #time(): WrittenTime | null {
    const { dice, project } = this.#options;
    const today = Math.floor(Date.now() / DAY_MS);
    switch (dice.between(0, 9)) {
      case 0:
        return writeTime(dice, randomInstant(dice, today - 2, today - 1), project.timezone);
      case 1:
        return this.#longAgo();
      case 2:
        return writeTime(dice, randomInstant(dice, -25_500, -2), project.timezone);
      case 3:
        return writeTime(dice, randomInstant(dice, today + 3, 120_000), project.timezone);
      case 4:
        return writeTime(dice, BigInt(Date.now() - dice.between(0, 3_600_000)) * 1000n, project.timezone);
      default:
        return null;
    }
  }

  /** No two messages have the same. */
  #longAgo(): WrittenTime {
    const { dice, project, ledger } = this.#options;
    const second = randomInstant(dice, 11_000, 19_500) / 1_000_000n;
    return writeTime(dice, second * 1_000_000n + BigInt(ledger.next % 1_000_000), project.timezone);
  }
}

export function nameOf({ projectId, userKey }: TestedUser): string {
  return `${projectId}/${userKey}`;
}

function naming({ userId, anonymousId, userKey }: TestedUser, isAddEvent: boolean): Item['members'] {
  if (isAddEvent) return [['user_id', JSON.stringify(userKey)]];
  return userId === null ? [['anonymousId', JSON.stringify(anonymousId)]] : [['user_id', JSON.stringify(userId)]];
}

function newId(dice: Dice): string {
  return dice.chance(0.9) ? randomUUID() : `${dice.pick(['😀', 'a/b ', 'نص', '"'])}${randomUUID()}`;
}
