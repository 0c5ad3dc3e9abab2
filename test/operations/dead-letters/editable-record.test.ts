import { describe, expect, test } from 'vitest';
import { changedPaths, editableRecord, readEdit } from '../../../services/operations/dead-letters/editable-record.ts';
import { parseBody } from '../../../services/messages/json.ts';
import { type Message, topicOf } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { identify, session, track } from '../../support/messages/messages.ts';

const WHO = { projectId: 'proj_shop', userId: 'ada', messageId: 'm' };

function edited(message: Message, text: string): Message {
  const read = readEdit(text, topicOf(message), message);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.message;
}

describe('a message as it can be edited', () => {
  test('a record shows every digit of its numbers', () => {
    const record = editableRecord('tidemark.track', track({ ...WHO, properties: '{"n":9007199254740993,"d":1e400}' }));

    expect(JSON.stringify(record)).toContain('"properties":{"n":9007199254740993,"d":1e400}');
  });

  test('an object that is not JSON is shown as its text', () => {
    expect(editableRecord('tidemark.identify', identify({ ...WHO, traits: '{"a":' }))).toMatchObject({
      traits: '{"a":',
    });
  });

  test.each([identify(WHO), track(WHO), session(WHO), { ...track(WHO), userId: null }] as Message[])(
    'a record of type $type that is sent back as it was shown changes nothing',
    (message) => {
      const text = JSON.stringify(editableRecord(topicOf(message), message));

      expect(readEdit(text, topicOf(message), message)).toMatchObject({
        problems: [{ path: '', message: expect.stringContaining('changes nothing') as string }],
      });
    },
  );
});

describe('a correction', () => {
  test('a correction changes what it names and leaves the rest, its id and its arrival', () => {
    const message = identify({ ...WHO, traits: '{"a":1}', context: '{"page":1}', messageIdGiven: true });

    const after = edited(message, '{"traits":{"a":2.5}}');

    expect(after).toEqual({ ...message, traits: '{"a":2.5}', messageIdGiven: false, version: after.version });
  });

  test('a correction orders right after what it corrects, before what arrived a microsecond later', () => {
    const message = track({ ...WHO, receivedAt: 5_000n });
    const later = versionOf(5_001n, 5_001n, 0);

    const { version } = edited(message, '{"event":"x"}');

    expect(version > message.version).toBe(true);
    expect(version < later).toBe(true);
  });

  test('a correction of the time orders by that time', () => {
    const message = track({ ...WHO, receivedAt: 5_000n });

    const after = edited(message, '{"timestamp":"1970-01-01T00:00:00.004Z"}');

    expect(after).toMatchObject({ timestamp: 4_000n, receivedAt: 5_000n });
    expect(after.version).toBe(versionOf(4_000n, 5_000n, 1));
  });

  test('a correction of the user is a message of that user', () => {
    expect(edited(track(WHO), '{"user_id":"bob"}')).toMatchObject({
      userId: 'bob',
      userKey: userKeyOf('proj_shop', 'bob'),
    });
    expect(edited(track(WHO), '{"user_id":null,"anonymous_id":"cookie"}')).toMatchObject({
      userId: null,
      anonymousId: 'cookie',
    });
  });

  test('a correction for a user known by the internal id alone stays theirs', () => {
    const message = { ...track({ ...WHO, sessionId: 's' }), userId: null };

    expect(edited(message, '{"event":"x"}')).toMatchObject({ userId: null, userKey: message.userKey, event: 'x' });
  });

  test('a correction of a session is read as project-user reads it', () => {
    expect(edited(session(WHO), '{"anonymous":true,"traits":{"a":1}}')).toMatchObject({
      anonymous: true,
      traits: '{"a":1}',
      sessionId: 's1',
    });
  });

  test.each([
    [track(WHO), '{"message_id":"n"}', '/message_id'],
    [track(WHO), '{"project_id":"proj_other"}', '/project_id'],
    [track(WHO), '{"topic":"tidemark.identify"}', '/topic'],
    [track(WHO), '{"colour":1,"a/b":2}', '/colour'],
    [track(WHO), '{"event":""}', '/event'],
    [track(WHO), '{"event":7}', '/event'],
    [track(WHO), '{"user_id":null}', '/user_id'],
    [track(WHO), '{"anonymous_id":7}', '/anonymous_id'],
    [track(WHO), '{"timestamp":"soon"}', '/timestamp'],
    [track(WHO), '{"properties":[]}', '/properties'],
    [track(WHO), '{"properties":{"a":"\\u0000"}}', '/properties/a'],
    [track(WHO), '{"properties":{"a":1e9999}}', '/properties/a'],
    [identify(WHO), '{"traits":7}', '/traits'],
    [identify(WHO), '{"context":7}', '/context'],
    [identify({ ...WHO, traits: '{"a":' }), '{"context":{}}', '/traits'],
    [session(WHO), '{"traits":7}', '/traits'],
    [session(WHO), '{"anonymous":"no"}', '/anonymous'],
    [session(WHO), '{"timestamp":"soon"}', '/timestamp'],
    [session(WHO), '{"session_id":"t"}', '/session_id'],
    [track(WHO), '[]', ''],
    [track(WHO), '{', ''],
  ] as [Message, string, string][])(
    'a correction of %o by %s is refused with the place of the fault',
    (message, text, path) => {
      const read = readEdit(text, topicOf(message), message);

      expect(read.ok ? [] : read.problems).toEqual(
        expect.arrayContaining([expect.objectContaining({ path })]) as unknown[],
      );
    },
  );
});

test.each([
  ['{"a":1}', '{"a":1}', []],
  ['{"a":1,"b":{"c":"x"}}', '{"a":2,"b":{"c":"x"}}', ['/a']],
  ['{"b":{"c":"x","d":1}}', '{"b":{"c":"y","e":1}}', ['/b/c', '/b/d', '/b/e']],
  ['{"list":[1,2]}', '{"list":[1,3]}', ['/list']],
  ['{"b":{"c":1}}', '{"b":null}', ['/b']],
  ['{"a/b~c":1}', '{"a/b~c":2}', ['/a~1b~0c']],
  ['{"n":0.1}', '{"n":0.1000000000000000055}', ['/n']],
  ['{"n":9007199254740993}', '{"n":9007199254740993}', []],
  ['{}', '{"__proto__":1,"constructor":2}', ['/__proto__', '/constructor']],
])('%s and %s differ at %j', (before, after, paths) => {
  expect(changedPaths(json(before), json(after))).toEqual(paths);
});

function json(text: string): unknown {
  const parsed = parseBody(text);
  return parsed.ok ? parsed.value.exact : undefined;
}
