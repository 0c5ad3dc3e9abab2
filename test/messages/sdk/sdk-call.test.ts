import { describe, expect, test } from 'vitest';
import { correctedTime, fromSdk, isSdkBatch, isSdkCall } from '../../../services/messages/sdk/sdk-call.ts';
import { validateIdentify, validateTrack } from '../../../services/messages/validate.ts';
import { bodyOf } from '../../support/http/bodies.ts';

describe('the form of a body', () => {
  test.each([
    [{ userId: 'u', event: 'e' }, true],
    [{ anonymousId: 'a' }, true],
    [{ originalTimestamp: 'x' }, true],
    [{ context: {} }, true],
    [{ user_id: 'u', context: {} }, false],
    [{ user_id: 'u', messageId: 'm' }, false],
    [{ event: 'e' }, false],
    [[{ userId: 'u' }], false],
    [null, false],
  ])("the call %j is an SDK's: %j", (call, is) => {
    expect(isSdkCall(call)).toBe(is);
  });

  test.each([
    [{ batch: [{ userId: 'u' }, 5] }, true],
    [{ batch: [{}], writeKey: 'k' }, true],
    [{ batch: [{ userId: 'u' }, { user_id: 'u' }] }, false],
    [{ batch: [{ type: 'track' }] }, false],
    [{ batch: 'x', sentAt: 's' }, false],
  ])("the batch %j is an SDK's: %j", (batch, is) => {
    expect(isSdkBatch(batch)).toBe(is);
  });
});

describe('a call of an SDK', () => {
  test.each([
    ['{"userId":"u","properties":null,"timestamp":null,"context":null}', '{"userId":"u"}'],
    ['{"userId":"","anonymousId":"a"}', '{"anonymousId":"a"}'],
    ['{"userId":"","anonymousId":""}', '{"userId":"","anonymousId":""}'],
    ['{"userId":42}', '{"userId":"42"}'],
    ['{"userId":12345678901234567890}', '{"userId":"12345678901234567890"}'],
    ['{"userId":null,"anonymousId":7}', '{"anonymousId":"7"}'],
    ['{"userId":"u","other":null}', '{"userId":"u","other":null}'],
  ])('the call %s is taken as %s', (given, taken) => {
    expect(JSON.stringify(fromSdk(bodyOf(given)).exact)).toBe(taken);
  });

  test.each([
    ['{"userId":"u","context":{"traits":{"a":1},"ip":"x"}}', '{"a":1}'],
    ['{"userId":"u","traits":{"b":2},"context":{"traits":{"a":1}}}', '{"b":2}'],
    ['{"userId":"u","traits":null,"context":{"traits":{"a":12345678901234567890}}}', '{"a":12345678901234567890}'],
    ['{"userId":"u","context":{"traits":[1]}}', '{}'],
    ['{"user_id":"u","context":{"traits":{"a":1}}}', '{}'],
  ])('the traits of %s are %s', (given, traits) => {
    const validated = validateIdentify(bodyOf(given), 'UTC');

    expect(validated.ok && validated.draft.traits).toBe(traits);
  });
});

test.each([
  ['{"userId":"u","context":{"ip":"x","n":12345678901234567890}}', '{"ip":"x","n":12345678901234567890}'],
  ['{"userId":"u","context":{"traits":{"a":1},"ip":"x"}}', '{"ip":"x"}'],
  ['{"userId":"u","context":{"traits":{"a":1}}}', null],
  ['{"userId":"u","context":null}', null],
  ['{"userId":"u","context":"text"}', null],
  ['{"user_id":"u","context":{"ip":"x"}}', '{"ip":"x"}'],
])('the context that is kept of the identify %s is %s', (given, context) => {
  const validated = validateIdentify(bodyOf(given), 'UTC');

  expect(validated.ok && validated.draft.context).toBe(context);
});

describe('the time of a call of an SDK', () => {
  const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000n;
  const arrivedAt = at('2026-11-24T12:00:00Z');

  function timeOf(call: object): bigint | null | string {
    const validated = validateTrack(bodyOf({ userId: 'u', event: 'e', ...call }), 'UTC', arrivedAt);
    return validated.ok ? validated.draft.timestamp : validated.problems.map(({ path }) => path).join(' ');
  }

  test('its timestamp wins over the moment of the call', () => {
    const call = {
      timestamp: '2026-01-02T00:00:00Z',
      originalTimestamp: '2026-11-24T11:00:00Z',
      sentAt: '2020-01-01T00:00:00Z',
    };
    expect(timeOf(call)).toBe(at('2026-01-02T00:00:00Z'));
  });

  test.each([
    ['a clock that is right', '2026-11-24T11:00:00Z', '2026-11-24T11:59:50Z', '2026-11-24T11:00:00Z'],
    [
      'a request that was sent again after an hour',
      '2026-11-24T10:00:00Z',
      '2026-11-24T11:00:00Z',
      '2026-11-24T10:00:00Z',
    ],
    ['a clock that is an hour ahead', '2026-11-24T12:30:00Z', '2026-11-24T13:00:00Z', '2026-11-24T11:30:00Z'],
    ['a clock of 1970', '1970-01-01T00:00:00Z', '1970-01-01T00:10:00Z', '2026-11-24T11:50:00Z'],
    ['a call after it was sent', '2026-11-24T14:00:00Z', '2026-11-24T13:00:00Z', '2026-11-24T12:00:00Z'],
    [
      'an SDK that sends the original time for it',
      '2020-01-02T00:00:00Z',
      '2020-01-02T00:00:00Z',
      '2020-01-02T00:00:00Z',
    ],
    ['a sentAt that is no time', '2026-01-02T00:00:00Z', 'soon', '2026-01-02T00:00:00Z'],
  ])('the time of %s is right by our clock', (_, originalTimestamp, sentAt, expected) => {
    expect(timeOf({ originalTimestamp, sentAt })).toBe(at(expected));
    const corrected = expected === originalTimestamp ? null : at(originalTimestamp);
    const validated = validateTrack(bodyOf({ userId: 'u', event: 'e', originalTimestamp, sentAt }), 'UTC', arrivedAt);
    expect(validated.ok && validated.draft.originalTimestamp).toBe(corrected);
  });

  test('an originalTimestamp that is not a time is a problem, and one that is null is absent', () => {
    expect(timeOf({ originalTimestamp: 'soon' })).toBe('/originalTimestamp');
    expect(timeOf({ originalTimestamp: null, adjusted: null })).toBeNull();
  });

  test('a correction moves all times of one clock alike', () => {
    const sentAt = at('2026-11-24T15:00:00Z');
    const [first, second] = [at('2026-11-24T14:00:00Z'), at('2026-11-24T14:00:01Z')];
    expect(correctedTime(second, sentAt, arrivedAt) - correctedTime(first, sentAt, arrivedAt)).toBe(second - first);
  });
});
