import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, Queryable } from '../../services/stores/database/database.ts';
import { pipelined } from '../../services/stores/database/pipelined.ts';
import { printed } from '../support/service/printed.ts';

/** What any Database must do. The suite makes and drops one table, `contract`. */
export function testDatabase(name: string, open: () => Promise<Database>): void {
  describe(`${name}, as a Database`, () => {
    let database: Database;

    beforeAll(async () => {
      database = await open();
      await database.script(`
        drop table if exists contract;
        create table contract (id int4 primary key, note text)`);
    });
    afterAll(() => database.close());

    test('values are returned as the port defines', async () => {
      const [row] = await database.query(`
        select 1::int2 as small, 2::int4 as medium, 3::int8 as large, 1.5::float8 as double, true as yes, 'ä' as text,
               '\\x00ff'::bytea as bytes, null::text as nothing, '{1,null}'::int8[] as many, '{a,"b c",null}'::text[] as texts`);

      expect(row).toEqual({
        small: 1,
        medium: 2,
        large: 3n,
        double: 1.5,
        yes: true,
        text: 'ä',
        bytes: new Uint8Array([0, 255]),
        nothing: null,
        many: [1n, null],
        texts: ['a', 'b c', null],
      });
    });

    test('statement parameters arrive unchanged', async () => {
      const texts = ['', 'null', 'NULL', '{}', '"', '\\', 'a,b', 'line\nbreak', '🌊', null];
      const values = [
        texts,
        [9_007_199_254_740_993n, null],
        [true, false, null],
        [0.1, -1e300],
        new Uint8Array([0, 1]),
      ];

      const [row] = await database.query(
        'select $1::text[] as a, $2::int8[] as b, $3::bool[] as c, $4::float8[] as d, $5::bytea as e',
        values,
      );

      expect(row).toEqual({ a: values[0], b: values[1], c: values[2], d: values[3], e: values[4] });
    });

    test('strings that are no text arrive as what the SQL takes them for', async () => {
      const uuid = '6f1f4b9e-3a52-4d2c-9a0e-2f6f0f3c1a11';

      const [row] = await database.query(
        'select $1::uuid[]::text[] as many, $2::uuid::text as one, $3::text[] as nothing, $4::int4[] as numbers',
        [[uuid, null], uuid, [null, null], [1, null, -2]],
      );

      expect(row).toEqual({ many: [uuid, null], one: uuid, nothing: [null, null], numbers: [1, null, -2] });
    });

    test('an array without elements is one', async () => {
      const [row] = await database.query('select $1::text[] as texts, $2::int8[] as numbers', [[], []]);

      expect(row).toEqual({ texts: [], numbers: [] });
    });

    test('jsonb cast to text keeps every digit', async () => {
      const json = '{"n": [9007199254740993, 0.1000000000000000055, 123456789012345678901234567890.10]}';

      const [row] = await database.query('select $1::text::jsonb::text as json', [json]);

      expect(row).toEqual({ json });
    });

    test('a transaction commits when its function resolves', async () => {
      const result = await database.transaction(async (transaction) => {
        await transaction.query(`insert into contract values (1, 'kept')`);
        return 'done';
      });

      expect(result).toBe('done');
      expect(await database.query('select note from contract where id = 1')).toEqual([{ note: 'kept' }]);
    });

    test('a transaction rolls back when its function rejects, and rejects with the same', async () => {
      const wrong = new Error('changed my mind');
      const attempt = database.transaction(async (transaction) => {
        await transaction.query('insert into contract values (2)');
        throw wrong;
      });

      await expect(attempt).rejects.toBe(wrong);
      expect(await database.query('select * from contract where id = 2')).toEqual([]);
    });

    test('a transaction of which a statement failed does not pass for committed', async () => {
      const attempt = database.transaction(async (transaction) => {
        await transaction.query('insert into contract values (3)');
        await transaction.query('select 1 / 0').catch(() => undefined);
      });

      await expect(attempt).rejects.toThrow();
      expect(await database.query('select * from contract where id = 3')).toEqual([]);
    });

    test('after a failure in a transaction the next one works', async () => {
      await database.transaction((transaction) => transaction.query('select 1 / 0')).catch(() => undefined);

      await database.transaction((transaction) => transaction.query('insert into contract values (4)'));

      expect(await database.query('select id from contract where id = 4')).toEqual([{ id: 4 }]);
    });

    test('statements of a transaction that are asked at once run in the order asked', async () => {
      const counts = await database.transaction(async (transaction) => {
        const insert = (id: number): Promise<unknown> => transaction.query('insert into contract values ($1)', [id]);
        const count = (): Promise<readonly { readonly n: bigint }[]> =>
          transaction.query('select count(*) as n from contract where id between 20 and 29');
        const asked = [insert(20), count(), insert(21), insert(22), count()] as const;
        const [, [first], , , [second]] = await Promise.all(asked);
        return [first?.n, second?.n];
      });

      expect(counts).toEqual([1n, 3n]);
      await database.query('delete from contract where id between 20 and 29');
    });

    test('of statements asked one ahead the first failure is told, and nothing stays', async () => {
      const ask = (transaction: Queryable, sql: string) => () => transaction.query(sql);
      const statements = [
        'insert into contract values (23)',
        'select 1 / 0',
        'select 1',
        'insert into contract values (24)',
      ];

      const attempt = database.transaction((transaction) => pipelined(statements.map((sql) => ask(transaction, sql))));

      await expect(attempt).rejects.toThrow('division by zero');
      expect(await database.query('select id from contract where id between 20 and 29')).toEqual([]);
    });

    test('a transaction that may take its time is one like any other', async () => {
      const unhurried = { isUnhurried: true };

      await database.transaction((transaction) => transaction.query('insert into contract values (9)'), unhurried);
      const failing = database.transaction((transaction) => transaction.query('select 1 / 0'), unhurried);

      await expect(failing).rejects.toMatchObject({ code: 'STORE_REJECTED' });
      expect(await database.query('select id from contract where id = 9')).toEqual([{ id: 9 }]);
    });

    test('a query from elsewhere sees nothing of a transaction under way', async () => {
      let elsewhere: Promise<readonly unknown[]> | undefined;
      await database
        .transaction(async (transaction) => {
          await transaction.query('insert into contract values (5)');
          elsewhere = database.query('select * from contract where id = 5');
          await transaction.query('select 1');
          throw new Error('roll back');
        })
        .catch(() => undefined);

      expect(await elsewhere).toEqual([]);
    });

    test('a statement that is refused permanently fails with STORE_REJECTED', async () => {
      await database.query('insert into contract values (6) on conflict do nothing');
      const refused = [
        database.query('select 1 / 0'),
        database.query('selec 1'),
        database.query('insert into contract values (6)'),
        database.query(`select $1::text::jsonb`, ['{"a":"\\u0000"}']),
        database.query('select $1::text', ['a\0b']),
      ];

      for (const attempt of await Promise.allSettled(refused)) {
        expect(attempt).toMatchObject({ reason: { code: 'STORE_REJECTED', retryable: false } });
      }
    });

    test('a missing table is nothing to blame a value for', async () => {
      await expect(database.query('select * from nowhere')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    test('an error tells nothing of the values', async () => {
      const error: unknown = await database
        .query('select $1::text::int4', ['ada@example.com'])
        .catch((e: unknown) => e);

      expect(error).toMatchObject({ code: 'STORE_REJECTED' });
      expect(printed(error)).not.toContain('ada@example.com');
    });

    test('many at once are each answered with their own', async () => {
      const asked = Array.from({ length: 50 }, (_, index) => index);

      const answers = await Promise.all(
        asked.map((n) => database.transaction((transaction) => transaction.query('select $1::int4 as n', [n]))),
      );

      expect(answers.map(([row]) => row?.['n'])).toEqual(asked);
    });

    test('close waits for statements in progress', async () => {
      const another = await open();
      const underWay = another.transaction(async (transaction) => {
        await transaction.query('select 1');
        return (await transaction.query('select 2 as two'))[0];
      });

      await another.close();

      expect(await underWay).toEqual({ two: 2 });
    });

    test('a script runs several statements', async () => {
      await database.script(`insert into contract values (7); insert into contract values (8, ';')`);

      expect(await database.query('select id from contract where id in (7, 8) order by id')).toHaveLength(2);
    });

    test('a closed database refuses, and closing it again changes nothing', async () => {
      const another = await open();
      await another.close();
      await another.close();

      await expect(another.query('select 1')).rejects.toMatchObject({ code: 'STOPPING' });
    });
  });
}
