import { describe, expect, test } from 'vitest';
import { CALL_LIMIT_BYTES } from '../../services/operations/import/record.ts';
import { BODY_LIMIT_BYTES } from '../../services/http/body-limits.ts';
import { parseTimestamp } from '../../services/messages/timestamp.ts';
import { validateIdentify, validateTrack } from '../../services/messages/validate.ts';
import { bodyOf, pathsOf, traitsOf } from '../support/http/bodies.ts';

function identify(content: unknown, timezone = 'UTC') {
  return validateIdentify(bodyOf(content), timezone);
}

function track(content: unknown, timezone = 'UTC') {
  return validateTrack(bodyOf(content), timezone);
}

function micros(text: string): bigint {
  const parsed = parseTimestamp(text, 'UTC');
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.micros;
}

const nobody = {
  userId: null,
  anonymousId: null,
  timestamp: null,
  originalTimestamp: null,
  adjusted: null,
  messageId: null,
};

describe('identify', () => {
  test('becomes a draft', () => {
    const body =
      '{"user_id":"u","traits":{"a":1e400,"b":null},"timestamp":"2026-11-20T10:15","message_id":"m","x":null}';

    expect(identify(body, 'Europe/Berlin')).toEqual({
      ok: true,
      draft: {
        type: 'identify',
        userId: 'u',
        anonymousId: null,
        timestamp: micros('2026-11-20T09:15Z'),
        originalTimestamp: null,
        adjusted: null,
        messageId: 'm',
        traits: '{"a":1e400,"b":null}',
        context: null,
      },
    });
  });

  test('sets at most 10,000 traits, which no request of 32 KB can exceed', () => {
    const wide = { user_id: 'u', traits: traitsOf(10_001) };

    expect(pathsOf(identify(wide))).toEqual(['/traits']);
    expect(identify({ ...wide, traits: traitsOf(10_000) }).ok).toBe(true);
    // So that only items of a batch ever do; nor can the call of a line of an import, which is as long.
    const shortest = Buffer.byteLength(JSON.stringify(wide));
    expect(shortest).toBeGreaterThan(2 * Math.max(BODY_LIMIT_BYTES, CALL_LIMIT_BYTES));
  });

  test('needs no more than a user', () => {
    expect(identify({ user_id: 'u' })).toEqual({
      ok: true,
      draft: { ...nobody, type: 'identify', userId: 'u', traits: '{}', context: null },
    });
  });

  test.each([
    [{}, ['/user_id']],
    [[], ['']],
    [null, ['']],
    ['1e400', ['']],
    [{ user_id: null }, ['/user_id']],
    [{ user_id: 5 }, ['/user_id']],
    ['{"user_id":12345678901234567890}', ['/user_id']],
    [{ user_id: '' }, ['/user_id']],
    [{ user_id: 'x'.repeat(513) }, ['/user_id']],
    [{ user_id: 'u', traits: null }, ['/traits']],
    [{ user_id: 'u', traits: [] }, ['/traits']],
    ['{"user_id":"u","traits":1e400}', ['/traits']],
    ['{"user_id":"u","traits":12345678901234567890}', ['/traits']],
    [{ user_id: 'u', timestamp: null }, ['/timestamp']],
    [{ user_id: 'u', timestamp: 1_700_000_000 }, ['/timestamp']],
    [{ user_id: 'u', timestamp: '2026-02-30' }, ['/timestamp']],
    [{ user_id: 'u', message_id: null }, ['/message_id']],
    [{ user_id: 'u', message_id: '' }, ['/message_id']],
    [{ user_id: 'u', message_id: 'x'.repeat(129) }, ['/message_id']],
    [{ user_id: 1, traits: 2, timestamp: 'x', message_id: 4 }, ['/message_id', '/timestamp', '/traits', '/user_id']],
    ['{"__proto__":{"user_id":"u"}}', ['/user_id']],
  ])('%j is refused at %j', (content, paths) => {
    expect(pathsOf(identify(content))).toEqual(paths);
  });

  test('characters are code points', () => {
    expect(identify({ user_id: '😀'.repeat(512), message_id: 'ü'.repeat(128) }).ok).toBe(true);
    expect(pathsOf(identify({ user_id: '😀'.repeat(513) }))).toEqual(['/user_id']);
  });

  test('a trait may be called anything', () => {
    const traits = '{"__proto__":{"a":1},"":2,"a.b":3,"user_id":null,"constructor":4}';
    const result = identify(`{"user_id":"u","traits":${traits}}`);

    expect(result.ok && result.draft.traits).toBe(traits);
  });
});

describe('track', () => {
  test('becomes a draft', () => {
    const body =
      '{"user_id":"u","event":"Order Completed","properties":{"total":9007199254740993},"timestamp":"2026-11-20"}';

    expect(track(body, 'Asia/Tokyo')).toEqual({
      ok: true,
      draft: {
        type: 'track',
        userId: 'u',
        anonymousId: null,
        timestamp: micros('2026-11-19T15:00Z'),
        originalTimestamp: null,
        adjusted: null,
        messageId: null,
        event: 'Order Completed',
        properties: '{"total":9007199254740993}',
      },
    });
  });

  test('needs no more than a user and an event', () => {
    expect(track({ user_id: 'u', event: 'e' })).toEqual({
      ok: true,
      draft: { ...nobody, type: 'track', userId: 'u', event: 'e', properties: '{}' },
    });
  });

  test.each([
    [{}, ['/event', '/user_id']],
    [{ user_id: 'u' }, ['/event']],
    [{ user_id: 'u', event: null }, ['/event']],
    [{ user_id: 'u', event: 7 }, ['/event']],
    [{ user_id: 'u', event: '' }, ['/event']],
    [{ user_id: 'u', event: 'x'.repeat(513) }, ['/event']],
    [{ user_id: 'u', event: 'e', properties: null }, ['/properties']],
    [{ user_id: 'u', event: 'e', properties: 'p' }, ['/properties']],
    ['{"user_id":"u","event":1e400,"properties":1e400}', ['/event', '/properties']],
  ])('%j is refused at %j', (content, paths) => {
    expect(pathsOf(track(content))).toEqual(paths);
  });
});

describe('what analytics SDKs send', () => {
  test('names user and message their way', () => {
    const body = { userId: 'u', anonymousId: 'a', messageId: 'm', event: 'e', type: 'track', integrations: {} };

    expect(track(body)).toEqual({
      ok: true,
      draft: { ...nobody, type: 'track', userId: 'u', anonymousId: 'a', messageId: 'm', event: 'e', properties: '{}' },
    });
  });

  test.each([{ anonymousId: 'a' }, { anonymousId: 'a', userId: null }])('%j is somebody anonymous', (body) => {
    expect(identify(body)).toEqual({
      ok: true,
      draft: { ...nobody, type: 'identify', anonymousId: 'a', traits: '{}', context: null },
    });
  });

  test('and our own names win', () => {
    const result = identify({ user_id: 'u', userId: 'v', anonymousId: 'a', message_id: 'm', messageId: 'n' });

    expect(result.ok && result.draft).toMatchObject({ userId: 'u', anonymousId: 'a', messageId: 'm' });
  });

  test.each([
    [{ userId: null }, ['/user_id']],
    [{ userId: null, anonymousId: null }, ['/user_id']],
    [{ userId: '' }, ['/userId']],
    [{ anonymousId: '' }, ['/anonymousId']],
    [{ userId: 'u', messageId: '' }, ['/messageId']],
    [{ user_id: 'u', userId: 5 }, ['/userId']],
    [{ user_id: null, userId: 'u' }, ['/user_id']],
  ])('%j is refused at %j', (body, paths) => {
    expect(pathsOf(identify(body))).toEqual(paths);
  });

  test.each([
    ['{"context":{"ip":1e400}}', '{"context":{"ip":1e400}}'],
    ['{"context":{"ip":1},"properties":{"__proto__":1}}', '{"__proto__":1,"context":{"ip":1}}'],
    ['{"context":{"ip":1},"properties":{"context":null}}', '{"context":null,"sdk_context":{"ip":1}}'],
    ['{"context":{"ip":1},"properties":{"context":{"os":"x","ip":2}}}', '{"context":{"ip":2,"os":"x"}}'],
    ['{"context":null,"name":"n","properties":{"a":1}}', '{"a":1}'],
  ])('a context stands under the properties: %s', (content, properties) => {
    const result = track(content.replace('{', '{"userId":"u","event":"e",'));

    expect(result.ok && result.draft.properties).toBe(properties);
  });
});
