import { describe, expect, test } from 'vitest';
import { validateBatch, validateItem } from '../../services/messages/validate.ts';
import { bodyOf, pathsOf, traitsOf } from '../support/http/bodies.ts';

const good = { type: 'track', user_id: 'u', event: 'e' };
const bad = { type: 'track', user_id: 'u' };
const frame = { timezone: 'UTC', arrivedAt: null };

function batch(content: unknown) {
  return validateBatch(bodyOf(content), 'UTC');
}

describe('a batch', () => {
  test('becomes drafts in the order sent', () => {
    const items = [good, { type: 'identify', user_id: 'v', traits: { a: 1 }, timestamp: '1970-01-01' }];

    expect(batch({ batch: items, sentAt: 'whenever' })).toEqual({
      ok: true,
      drafts: [
        {
          type: 'track',
          userId: 'u',
          anonymousId: null,
          timestamp: null,
          originalTimestamp: null,
          adjusted: null,
          messageId: null,
          event: 'e',
          properties: '{}',
        },
        {
          type: 'identify',
          userId: 'v',
          anonymousId: null,
          timestamp: 0n,
          originalTimestamp: null,
          adjusted: null,
          messageId: null,
          traits: '{"a":1}',
          context: null,
        },
      ],
    });
  });

  test.each([
    [{}, ['/batch']],
    [[], ['']],
    [{ batch: null }, ['/batch']],
    [{ batch: {} }, ['/batch']],
    ['{"batch":1e400}', ['/batch']],
    [{ batch: [] }, ['/batch']],
    [{ batch: [1, null, [], 'x'] }, ['/batch/0', '/batch/1', '/batch/2', '/batch/3']],
    ['{"batch":[1e400]}', ['/batch/0']],
    [{ batch: [{ user_id: 'u' }] }, ['/batch/0/type']],
    [{ batch: [{ type: 'delete', user_id: 'u' }] }, ['/batch/0/type']],
    [{ batch: [good, { type: 'page', user_id: 'u' }] }, ['/batch/1/type']],
    [{ batch: [{ type: null }] }, ['/batch/0/type']],
    [{ batch: [{ type: 'constructor' }] }, ['/batch/0/type']],
    [
      { batch: [good, { type: 'track', timestamp: '2026' }] },
      ['/batch/1/event', '/batch/1/timestamp', '/batch/1/user_id'],
    ],
    [{ batch: [{ type: 'identify', user_id: 'u', traits: [] }, good, bad] }, ['/batch/0/traits', '/batch/2/event']],
    ['{"batch":[{"type":"identify","user_id":"u","traits":1e400}]}', ['/batch/0/traits']],
  ])('%j is refused at %j', (content, paths) => {
    expect(pathsOf(batch(content))).toEqual(paths);
  });

  test('may set 10,000 traits in each of its messages, and not one more', () => {
    const items = [10_000, 10_001].map((count) => ({ type: 'identify', user_id: 'u', traits: traitsOf(count) }));

    const result = batch({ batch: items });

    expect(result).toEqual({
      ok: false,
      problems: [{ path: '/batch/1/traits', message: 'must have at most 10000 members' }],
    });
    expect(batch({ batch: [items[0], items[0]] }).ok).toBe(true);
  });

  test('bounds no properties, and no traits that an SDK keeps beside them', () => {
    const group = { type: 'group', userId: 'u', traits: traitsOf(10_001) };

    expect(batch({ batch: [{ ...good, properties: traitsOf(10_001) }] }).ok).toBe(true);
    expect(validateItem(bodyOf(group), frame).ok).toBe(true);
  });

  test('names the first hundred problems and no more', () => {
    const result = batch({
      batch: Array.from({ length: 300 }, (_, index) => (index < 150 ? good : { type: 'track' })),
    });

    expect(result.ok ? [] : result.problems).toHaveLength(100);
    expect(pathsOf(result)).toEqual(expect.arrayContaining(['/batch/150/event', '/batch/199/user_id']));
  });

  test('has no item looked at after the hundredth problem', () => {
    const looks: number[] = [];
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      user_id: 'u',
      get type() {
        looks.push(index);
        return 'track';
      },
    }));
    const body = { batch: items };

    const result = validateBatch({ plain: body, exact: body }, 'UTC');

    expect(result.ok ? [] : result.problems).toHaveLength(100);
    expect(Math.max(...looks)).toBe(99);
  });

  test('keeps the digits of every item', () => {
    const result = batch(
      '{"batch":[{"type":"track","user_id":"u","event":"e","properties":{"n":[9007199254740993,1e400]}}]}',
    );

    expect(result.ok && result.drafts[0]).toMatchObject({ properties: '{"n":[9007199254740993,1e400]}' });
  });
});

describe('an item of a batch by itself', () => {
  test('tells what is wrong with it where it stands', () => {
    expect(pathsOf(validateItem(bodyOf(bad), frame, '/batch/1'))).toEqual(['/batch/1/event']);
    expect(pathsOf(validateItem(bodyOf(5), frame, '/batch/2'))).toEqual(['/batch/2']);
    expect(validateItem(bodyOf(good), frame, '/batch/3')).toMatchObject({ ok: true, draft: { type: 'track' } });
  });

  test('are bad where they set more than 10,000 traits', () => {
    const wide = bodyOf({ type: 'identify', userId: 'u', traits: traitsOf(10_001) });

    expect(pathsOf(validateItem(wide, frame))).toEqual(['/traits']);
    expect(validateItem(wide, frame, null).ok).toBe(false);
  });

  test.each([good, bad, 5, {}, { ...good, timestamp: 'x' }, { ...good, timestamp: '2026-11-20', properties: [] }])(
    '%j is valid for a caller who has been told enough as it is for another',
    (item) => {
      const validated = validateItem(bodyOf(item), frame);

      const untold = validateItem(bodyOf(item), frame, null);
      expect(untold).toEqual(validated.ok ? validated : { ok: false, problems: expect.any(Array) });
    },
  );
});

describe('the other calls of analytics SDKs', () => {
  test.each([
    ['page', { name: 'Home', category: null, properties: { url: '/' } }, { url: '/', name: 'Home' }],
    [
      'page',
      { name: 'Home', category: 'Docs', properties: { name: 'own' } },
      { name: 'own', category: 'Docs', context: { name: 'Home' } },
    ],
    ['screen', { name: 'Start', context: { os: 'x' } }, { context: { os: 'x' }, name: 'Start' }],
    ['group', { groupId: 'g', traits: { size: 3 } }, { groupId: 'g', traits: { size: 3 } }],
    ['alias', { previousId: 'old' }, { previousId: 'old' }],
  ])('%s is tracked under its name with what it says', (type, said, properties) => {
    const result = validateItem(bodyOf({ type, userId: 'u', messageId: 'm', ...said }), frame);

    const draft = result.ok ? result.draft : undefined;
    expect(draft).toMatchObject({ type: 'track', userId: 'u', messageId: 'm', event: type });
    expect(draft?.type === 'track' && JSON.parse(draft.properties)).toEqual(properties);
  });

  test.each([
    [{ type: 'page' }, ['/user_id']],
    [{ type: 'group', userId: 'u', properties: [], timestamp: 'x' }, ['/properties', '/timestamp']],
  ])('%j is refused at %j', (item, paths) => {
    expect(pathsOf(validateItem(bodyOf(item), frame))).toEqual(paths);
  });
});
