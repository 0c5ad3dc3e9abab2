/** What the catalogue should say of these messages, counted one by one. */
import { splitObject } from '../../../services/messages/json.ts';
import { dayOf } from '../../../services/messages/day-and-hour.ts';
import type { Identify, Message, Micros, Session, Track } from '../../../services/messages/message.ts';

/** Without examples, of which the catalog has any. */
export interface NaiveEntry {
  readonly name: string;
  readonly count: number;
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
  /** How many of the values are of each type. */
  readonly types: Readonly<Record<string, number>>;
}

interface Found {
  readonly name: string;
  readonly type: string;
  readonly at: Micros;
}

/** Tracks without copies: the first by user, event, day and message id counts. */
function withoutCopies(messages: readonly Message[]): readonly Track[] {
  const first = new Map<string, Track>();
  for (const message of messages) {
    if (message.type !== 'track') continue;
    const key = JSON.stringify([message.userKey, message.event, String(dayOf(message.timestamp)), message.messageId]);
    if (!first.has(key)) first.set(key, message);
  }
  return [...first.values()];
}

export function naiveEvents(messages: readonly Message[]): readonly NaiveEntry[] {
  return entriesOf(withoutCopies(messages).map(({ event, timestamp }) => ({ name: event, type: '', at: timestamp })));
}

export function naiveProperties(messages: readonly Message[], event: string): readonly NaiveEntry[] {
  return entriesOf(
    withoutCopies(messages)
      .filter((message) => message.event === event)
      .flatMap(({ properties, timestamp: at }) =>
        [...splitObject(properties)].map(([name, value]) => ({ name, type: typeOf(value), at })),
      ),
  );
}

/** The newest value of each trait of each user, unless it is null. */
export function naiveTraits(messages: readonly Message[]): readonly NaiveEntry[] {
  const newest = new Map<string, { readonly version: string; readonly found: Found }>();
  const setting = messages.filter((message): message is Identify | Session => message.type !== 'track');
  for (const { traits, userKey, version, timestamp, receivedAt } of setting) {
    const at = timestamp < receivedAt ? timestamp : receivedAt;
    for (const [name, value] of splitObject(traits)) {
      const key = JSON.stringify([userKey, name]);
      const known = newest.get(key);
      if (known === undefined || known.version < version)
        newest.set(key, { version, found: { name, type: typeOf(value), at } });
    }
  }
  return entriesOf([...newest.values()].map(({ found }) => found).filter(({ type }) => type !== 'null'));
}

function entriesOf(all: readonly Found[]): readonly NaiveEntry[] {
  const names = Map.groupBy(all, ({ name }) => name);
  const entries = [...names].map(([name, found]): NaiveEntry => {
    const times = found.map(({ at }) => at).toSorted((one, other) => Number(one - other));
    const types = [...Map.groupBy(found, ({ type }) => type)].map(([type, { length }]) => [type, length] as const);
    return {
      name,
      count: found.length,
      firstSeen: times[0] ?? 0n,
      lastSeen: times.at(-1) ?? 0n,
      types: Object.fromEntries(types.filter(([type]) => type !== '')),
    };
  });
  return byName(entries);
}

export function byName<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function typeOf(json: string): string {
  const value = JSON.parse(json) as unknown;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'string' ? 'text' : typeof value;
}
