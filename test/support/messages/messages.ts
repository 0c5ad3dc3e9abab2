import type { Identify, Message, Session, Track } from '../../../services/messages/message.ts';
import { partitionKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';

export const codec = new Codec(new EmbeddedSchemaIds());

/** 2026-11-20T00:00:00Z. */
export const TODAY = 1_795_132_800_000_000n;

type Said<T extends Message> = Partial<Omit<T, 'type' | 'source'>> & {
  readonly projectId: string;
  readonly userId: string | null;
};

export function identify(said: Said<Identify>): Identify {
  return {
    ...envelope(said),
    traits: '{}',
    context: null,
    originalTimestamp: null,
    adjusted: null,
    ...said,
    type: 'identify',
    source: 'identify',
  };
}

export function track(said: Said<Track>): Track {
  const happened = {
    event: 'Order Completed',
    properties: '{}',
    sessionId: null,
    originalTimestamp: null,
    adjusted: null,
  };
  return { ...envelope(said), ...happened, ...said, type: 'track', source: 'track' };
}

export function session(said: Said<Session>): Session {
  const began = { sessionId: 's1', anonymous: false, traits: '{}' };
  return { ...envelope(said), ...began, ...said, type: 'session', source: 'project-user' };
}

/** A record's key and value. */
export function recordOf(message: Message) {
  return { key: partitionKeyOf(message), value: codec.encode(message) };
}

let sent = 0;

function envelope({ projectId, userId, timestamp, receivedAt }: Said<Message>) {
  const arrived = receivedAt ?? TODAY + BigInt(sent++);
  const time = timestamp ?? arrived;
  return {
    messageId: `message-${sent}`,
    messageIdGiven: false,
    userKey: userKeyOf(projectId, userId ?? ''),
    anonymousId: null,
    timestamp: time,
    receivedAt: arrived,
    version: versionOf(time, arrived, 0),
  };
}

/** A codec whose schema registry is unreachable for the first `failures` times. */
export function unreachableFor(failures: number): { readonly codec: Codec; readonly failuresLeft: () => number } {
  const unreachable = new Codec(new EmbeddedSchemaIds());
  const prepare = unreachable.prepare.bind(unreachable);
  unreachable.prepare = async (values) => {
    if (failures > 0) {
      failures--;
      throw new TidemarkError('STORE_UNAVAILABLE', 'the registry is unreachable, as ordered');
    }
    await prepare(values);
  };
  return { codec: unreachable, failuresLeft: () => failures };
}
