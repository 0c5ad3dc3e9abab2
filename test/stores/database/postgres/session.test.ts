import type { ClientBase } from 'pg';
import { expect, test } from 'vitest';
import { PostgresSession } from '../../../../services/stores/database/postgres/session.ts';

test('a statement that waits for others has their time too', async () => {
  const asked: { readonly limitMs: number; readonly answer: () => void }[] = [];
  const client = {
    query: ({ query_timeout: limitMs }: { readonly query_timeout: number }) => {
      const { promise, resolve } = Promise.withResolvers<{ readonly rows: readonly [] }>();
      asked.push({ limitMs, answer: () => resolve({ rows: [] }) });
      return promise;
    },
  };
  const session = new PostgresSession(client as unknown as ClientBase, 100);

  const both = [session.query('select 1'), session.query('select 2')];
  for (const { answer } of asked) answer();
  await Promise.all(both);
  const alone = session.query('select 3');
  asked.at(-1)?.answer();
  await alone;

  expect(asked.map(({ limitMs }) => limitMs)).toEqual([100, 200, 100]);
});
