/** Drawn histories of a few users, and the profiles that they amount to, computed as plainly as can be. */
import * as fc from 'fast-check';
import type { Message } from '../../../services/messages/message.ts';
import { versionOf } from '../../../services/messages/version.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { identify, session, TODAY, track } from '../../support/messages/messages.ts';

const VALUES = [
  'null',
  '1',
  '9007199254740993',
  '0.1000000000000000055',
  '"x"',
  '[null, {"a": null}]',
  '{"a": {"b": null}}',
  'false',
];

// The last two sort otherwise by UTF-16 than by bytes.
const NAMES = ['a', 'b', 'c', '__proto__', '\uff5e', '\u{1f600}'];

/** What varies of a message: few users, ids, times and traits, so that everything meets everything. */
export const drawnMessage = fc.record({
  type: fc.constantFrom('identify', 'identify', 'track', 'session'),
  user: fc.nat(2),
  givenId: fc.option(fc.constantFrom('m1', 'm2', 'm3')),
  // Some lie after their arrival: in the future.
  time: fc.integer({ min: -5, max: 8 }),
  arrival: fc.nat(4),
  anonymous: fc.boolean(),
  anonymousId: fc.option(fc.constantFrom(...NAMES)),
  traits: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)),
});

export type DrawnMessage = typeof drawnMessage extends fc.Arbitrary<infer T> ? T : never;

export interface Bounded {
  readonly database: Database;
  /** How many traits a profile keeps. */
  readonly maxTraits: number;
}

export function messageOf(projectId: string, drawn: DrawnMessage, index: number) {
  const timestamp = TODAY + BigInt(drawn.time);
  const receivedAt = TODAY + BigInt(drawn.arrival);
  const traits = `{${Object.entries(drawn.traits)
    .map(([key, value]) => `"${key}":${value}`)
    .join()}}`;
  const said = {
    projectId,
    userId: `user-${drawn.user}`,
    anonymousId: drawn.anonymousId,
    timestamp,
    receivedAt,
    version: versionOf(timestamp, receivedAt, index),
    messageId: drawn.givenId ?? `own-${index}`,
    messageIdGiven: drawn.givenId !== null,
  };
  if (drawn.type === 'track') return track(said);
  return drawn.type === 'session'
    ? session({ ...said, traits, anonymous: drawn.anonymous })
    : identify({ ...said, traits });
}

export async function profileOf({ database }: Bounded, [any]: readonly Message[]) {
  return any && new SqlProfileStore(database).find(any.projectId, any.userKey);
}

/** The model: the first of each given id by type, oldest version first, one assignment after another. */
export async function naiveProfileOf({ database, maxTraits }: Bounded, messages: readonly Message[]) {
  const [any] = messages;
  if (!any) return undefined;
  const counting = messages.filter((message, index) => {
    const isSame = (other: Message) => other.type === message.type && other.messageId === message.messageId;
    return message.type === 'track' || messages.findIndex(isSame) === index;
  });
  let anonymous: boolean | null = null;
  const said = new Map<string, { readonly json: string; readonly version: string }>();
  for (const message of counting.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
    if (message.type === 'session') anonymous = message.anonymous;
    if (message.type === 'track') continue;
    for (const [key, json] of membersOf(message.traits)) {
      said.set(key, { json, version: message.version });
    }
  }
  const newest = [...said]
    .sort(([a, x], [b, y]) =>
      x.version === y.version ? Buffer.from(a).compare(Buffer.from(b)) : x.version < y.version ? 1 : -1,
    )
    .slice(0, maxTraits);
  const traits = newest.flatMap(([key, { json }]) => (json === 'null' ? [] : [`"${key}":${json}`]));
  const times = counting.map(({ timestamp }) => timestamp).toSorted((a, b) => Number(a - b));
  return {
    projectId: any.projectId,
    userKey: any.userKey,
    userId: any.userId,
    anonymous,
    anonymousIds: idsSeen(counting),
    traits: await asStored(database, `{${traits.join()}}`),
    joinedIds: null,
    firstSeen: times[0],
    lastSeen: times.at(-1),
  };
}

function idsSeen(messages: readonly Message[]): readonly string[] {
  const first = new Map<string, string>();
  for (const { anonymousId: id, version } of messages.toSorted((a, b) => (a.version < b.version ? 1 : -1))) {
    if (id !== null) first.set(id, version);
  }
  const byVersion = [...first].sort(([a, x], [b, y]) =>
    x === y ? Buffer.from(a).compare(Buffer.from(b)) : x < y ? 1 : -1,
  );
  return byVersion.map(([id]) => id);
}

/** Splits only the objects that `messageOf` writes: none of their values holds `,"` followed by a key. */
function membersOf(traits: string): readonly (readonly [string, string])[] {
  const body = traits.slice(1, -1);
  if (body === '') return [];
  return body.split(/,(?="(?:a|b|c|__proto__|\uff5e|\u{1f600})":)/u).map((member) => {
    const [, key = '', json = ''] = /^"([^"]*)":(.*)$/.exec(member) ?? [];
    return [key, json];
  });
}

async function asStored(database: Database, json: string): Promise<string> {
  const [row] = await database.query<{ json: string }>('select $1::text::jsonb::text as json', [json]);
  return row?.json ?? '';
}
