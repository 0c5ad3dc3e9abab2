import { describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../../../services/operations/import/import-options.ts';
import { type Line, readAll } from '../../../support/service/import-records.ts';

type Map = ImportOptions['map'];

async function one(
  record: unknown,
  map: Map,
  set: Readonly<Record<string, string>> = { type: 'track' },
): Promise<Line> {
  const [line] = await readAll(typeof record === 'string' ? record : JSON.stringify(record), { map, set });
  return line as Line;
}

const SHOP = {
  event_time: '2019-10-01 00:00:00 UTC',
  event_type: 'view',
  product_id: 44600062,
  user_id: 541312140,
  user_session: 's',
};

describe('a mapping', () => {
  test('a record is the same in NDJSON and in CSV, and what nobody names becomes properties', async () => {
    const options = {
      set: { type: 'track' },
      map: { event_time: 'timestamp', event_type: 'event' },
    };
    const csv = `${Object.keys(SHOP).join(',')}\n${Object.values(SHOP).join(',')}\n`;

    const [line] = await readAll(JSON.stringify(SHOP), options);
    const [row] = await readAll(csv, { ...options, types: true });

    expect(line?.draft).toMatchObject({
      userId: '541312140',
      event: 'view',
      timestamp: 1_569_888_000_000_000n,
      properties: '{"product_id":44600062,"user_session":"s"}',
    });
    expect(row?.draft).toEqual(line?.draft);
  });

  test('members are found by their paths, in lists by their number, and by names with dots', async () => {
    const record = { who: { ids: ['x', 'ada'] }, 'a.b': { name: 'Paid' }, event_properties: { total: 5 } };

    const { draft } = await one(record, {
      'who.ids.1': 'user_id',
      'a.b.name': 'event',
      event_properties: 'properties',
      who: null,
      'a.b': null,
    });

    expect(draft).toMatchObject({ userId: 'ada', event: 'Paid', properties: '{"total":5}' });
  });

  test('a member moves with every digit, and what is left of its object stays', async () => {
    const { draft } = await one('{"event":"e","properties":{"id":9007199254740993,"x":1.50e400,"plan":{"n":1}}}', {
      'properties.id': 'user_id',
      'properties.plan': 'properties.old.plan',
    });

    expect(draft).toMatchObject({ userId: '9007199254740993', properties: '{"old":{"plan":{"n":1}},"x":1.50e400}' });
  });

  test('the first source that has a value gives it', async () => {
    const map: Map = { login: 'user_id', mail: 'user_id' };
    const of = async (record: object): Promise<unknown> => (await one({ event: 'e', ...record }, map)).draft;

    expect(await of({ login: 'ada', mail: 'a@x' })).toMatchObject({ userId: 'ada', properties: '{"mail":"a@x"}' });
    expect(await of({ login: null, mail: 'a@x' })).toMatchObject({ userId: 'a@x', properties: '{}' });
    expect(await of({ login: '', mail: 7 })).toMatchObject({ userId: '7' });
  });

  test('a source without a target is left out', async () => {
    expect((await one({ user_id: 'a', event: 'e', secret: 1, kept: 2 }, { secret: null })).draft).toMatchObject({
      properties: '{"kept":2}',
    });
  });

  test('a bare name is a trait of an identify and a property of a track', async () => {
    const record = { user_id: 'a', event: 'e', Plan: 'pro' };

    expect((await one(record, { Plan: 'plan' })).draft).toMatchObject({ properties: '{"plan":"pro"}' });
    expect((await one({ ...record, event: undefined }, { Plan: 'plan' }, { type: 'identify' })).draft).toMatchObject({
      traits: '{"plan":"pro"}',
    });
  });

  test('a place that two members fill is refused, and nothing is lost silently', async () => {
    const { problems } = await one({ user_id: 'a', event: 'e', x: 1, properties: { x: 2 } }, { y: 'z' });

    expect(problems).toEqual([{ path: '/properties/x', message: 'is filled twice' }]);
  });

  test('keys with a meaning in JavaScript are moved as any other', async () => {
    const { draft } = await one('{"user_id":"a","event":"e","constructor":1,"__proto__":{"x":2}}', {
      '__proto__.x': 'properties.__proto__.y',
    });

    expect(draft).toMatchObject({ properties: '{"__proto__":{"y":2},"constructor":1}' });
    expect(({} as Record<string, unknown>)['y']).toBeUndefined();
  });

  test('an object cannot be set to a text, and a preset that there is not is refused', async () => {
    await expect(readAll('{}', { set: { traits: 'x' } })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    await expect(readAll('{}', { preset: 'none' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test('a file of CSV whose first line is a row is read with the names that are given', async () => {
    const rows = await readAll('ada,Paid,5\nbob,Left,6\n', {
      type: 'track',
      format: 'csv',
      columns: ['user_id', 'event', 'n'],
    });

    expect(rows.map(({ line, draft }) => [line, draft?.userId])).toEqual([
      [1, 'ada'],
      [2, 'bob'],
    ]);
  });
});
