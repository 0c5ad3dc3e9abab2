/**
 * A believable shop: who its users are, and what they did in the last 30 days. The same seed and the same present give the
 * same messages, under the same ids.
 */
import { createHash } from 'node:crypto';

export const DAYS = 30;
const DAY_MS = 86_400_000;

/** An item of `POST /v1/batch`. */
export type Item = Readonly<Record<string, unknown>> & { readonly timestamp: string };

export interface ShopOptions {
  readonly users: number;
  readonly seed: number;
  /** The last event is just before it. */
  readonly nowMs: number;
}

/** User by user, each one's messages in the order of time: identify first. */
export function* shopMessages({ users, seed, nowMs }: ShopOptions): Generator<readonly Item[]> {
  for (let i = 0; i < users; i++) yield new Shopper(i, seed, nowMs).messages();
}

/** The audiences that the shop has saved. */
export const AUDIENCES: readonly object[] = [
  {
    name: 'Big spenders, not in Germany',
    refresh: '1h',
    definition: {
      all: [
        { event: 'Order Completed', where: [{ property: 'total', gt: 100 }], within: { last: '30d' } },
        { trait: 'plan', is: 'pro' },
        { not: { trait: 'country', is: 'DE' } },
      ],
    },
  },
  {
    name: 'Left a full cart this week',
    refresh: '15m',
    definition: {
      all: [
        { event: 'Checkout Started', within: { last: '7d' } },
        { event: 'Order Completed', count: { at_most: 0 }, within: { last: '7d' } },
      ],
    },
  },
  {
    name: 'Readers of the newsletter who never bought',
    definition: {
      all: [
        { event: 'Newsletter Opened', count: { at_least: 2 } },
        { event: 'Order Completed', count: { at_most: 0 } },
      ],
    },
  },
];

const FIRST =
  'Ada Grace Alan Edith Linus Margaret Tim Radia Ken Barbara Dennis Hedy Donald Katherine Niklaus Mary Edsger Joan Claude Sophie'.split(
    ' ',
  );
const LAST =
  'Lovelace Hopper Turing Clarke Weber Hamilton Lee Perlman Okafor Liskov Rossi Lamarr Novak Johnson Wirth Jansen Dubois Garcia Larsen Kowalska'.split(
    ' ',
  );
const COUNTRIES = ['DE', 'DE', 'DE', 'FR', 'FR', 'NL', 'PL', 'ES', 'SE', 'GB', 'AT', 'IT'];
const PLANS = ['free', 'free', 'free', 'free', 'plus', 'plus', 'pro'];
const SOURCES = ['search', 'search', 'newsletter', 'friend', 'advert', 'direct'];
const PRODUCTS = [
  ['Linen shirt', 'clothing', 4_990],
  ['Wool jumper', 'clothing', 8_900],
  ['Canvas rucksack', 'bags', 12_900],
  ['Leather belt', 'accessories', 3_450],
  ['Desk lamp', 'home', 6_790],
  ['Oak stool', 'home', 14_900],
  ['Enamel mug', 'kitchen', 1_290],
  ['Cast iron pan', 'kitchen', 5_900],
  ['Fountain pen', 'stationery', 2_795],
  ['Rain jacket', 'clothing', 16_900],
] as const;

class Shopper {
  readonly #random: () => number;
  readonly #number: number;
  readonly #seed: number;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #items: Item[] = [];

  constructor(number: number, seed: number, nowMs: number) {
    this.#number = number;
    this.#seed = seed;
    this.#random = randomOf(seed * 1_000_003 + number);
    this.#endMs = nowMs;
    // Most were there before; a fifth signed up within the month.
    const age = this.#random() < 0.2 ? this.#random() * DAYS : DAYS;
    this.#startMs = nowMs - age * DAY_MS;
  }

  messages(): readonly Item[] {
    const isVisitor = this.#random() < 0.12;
    const interest = this.#random() ** 3;
    if (!isVisitor) this.#identify(interest);
    const visits = 1 + Math.floor(interest * 9);
    for (let i = 0; i < visits; i++) this.#visit(isVisitor, interest);
    return this.#items.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  }

  #identify(interest: number): void {
    const name = `${this.#pick(FIRST)} ${this.#pick(LAST)}`;
    this.#add(this.#startMs, false, {
      type: 'identify',
      traits: {
        name,
        email: `${name.toLowerCase().replace(' ', '.')}${this.#number}@example.com`,
        plan: this.#pick(PLANS),
        country: this.#pick(COUNTRIES),
        language: this.#pick(['de', 'en', 'en', 'fr']),
        acquired_by: this.#pick(SOURCES),
        newsletter: this.#random() < 0.4,
        lifetime_value: Math.round(interest * 180_000) / 100,
        signed_up_on: new Date(this.#startMs).toISOString().slice(0, 10),
      },
    });
  }

  /** Some pages, perhaps a product in the cart, perhaps an order. */
  #visit(isVisitor: boolean, interest: number): void {
    let atMs = this.#momentOfDay();
    const add = (event: string, properties: object): void => {
      atMs += 4_000 + this.#random() * 90_000;
      if (atMs < this.#endMs) this.#add(atMs, isVisitor, { type: 'track', event, properties });
    };
    if (this.#random() < 0.15) add('Newsletter Opened', { issue: 40 + Math.floor(this.#random() * 6) });
    const [product, category, cents] = this.#pick(PRODUCTS);
    const price = cents / 100;
    add('Page Viewed', { path: `/${category}`, referrer: this.#pick(SOURCES) });
    add('Product Viewed', { product, category, price });
    if (this.#random() > 0.25 + interest / 2) return;
    const quantity = 1 + Math.floor(this.#random() ** 2 * 3);
    add('Product Added', { product, category, price, quantity });
    if (this.#random() < 0.35) return;
    const total = Math.round(cents * quantity * (isVisitor ? 1 : 0.95)) / 100;
    add('Checkout Started', { total, currency: 'EUR', items: quantity });
    if (this.#random() < 0.3) return;
    const paid_with = this.#pick(['card', 'card', 'invoice', 'wallet']);
    add('Order Completed', {
      order_id: `A-${this.#number}-${this.#items.length}`,
      total,
      currency: 'EUR',
      items: quantity,
      paid_with,
    });
    if (this.#random() < 0.06)
      add('Support Requested', { topic: this.#pick(['delivery', 'return', 'invoice']), channel: 'chat' });
  }

  /** A time between the first day and now, in waking hours mostly. */
  #momentOfDay(): number {
    const atMs = this.#startMs + this.#random() * (this.#endMs - this.#startMs);
    const midnightMs = atMs - (atMs % DAY_MS);
    const hour = 12 + 6 * (this.#random() + this.#random() - 1) + (this.#random() < 0.35 ? 7 : 0);
    const wanted = midnightMs + hour * 3_600_000;
    return wanted > this.#startMs && wanted < this.#endMs ? wanted : atMs;
  }

  #add(atMs: number, isVisitor: boolean, message: object): void {
    const anonymousId = `device-${this.#number}`;
    const userId = `u-${String(this.#number + 1).padStart(5, '0')}`;
    const messageId = hashOf(`${this.#seed}-${this.#number}-${this.#items.length}`);
    const who = isVisitor ? { anonymousId } : { userId, anonymousId };
    this.#items.push({ ...message, ...who, messageId, timestamp: new Date(atMs).toISOString() });
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}

function hashOf(text: string): string {
  return `demo-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
