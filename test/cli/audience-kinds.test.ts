/** Each kind of condition, asked over HTTP and by command, of an embedded service. */
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { sharedService } from '../support/service/shared-service.ts';

const HOUR_MS = 3_600_000;
const DEAR_A = [
  { property: 'sku', is: 'a' },
  { property: 'price', gt: 10 },
];
const service = sharedService();

beforeAll(async () => {
  const track = (user: string, event: string, hoursAgo: number, properties = {}) => ({
    type: 'track',
    user_id: user,
    event,
    timestamp: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
    properties,
  });
  const accepted = await service().request('/v1/batch', {
    batch: [
      track('ada', 'Added to Cart', 30),
      track('bob', 'Added to Cart', 30),
      track('bob', 'Ordered', 29),
      track('eve', 'Added to Cart', 1),
      track('ada', 'Paid', 3, { total: 0.1, category: 'shoes', items: [{ sku: 'a', price: 12.5 }, 'b'] }),
      track('ada', 'Paid', 2, { total: 0.2, category: 'hats' }),
      track('bob', 'Paid', 2, {
        total: 0.4,
        category: 'hats',
        items: [
          { sku: 'a', price: 5 },
          { sku: 'b', price: 50 },
        ],
      }),
    ],
  });
  const { receipt } = (await accepted.json()) as { receipt: string };
  await eventually(async () => {
    const state = await service().request(`/v1/receipts/${receipt}?wait=10`);
    expect(await state.json()).toMatchObject({ queryable: true });
  });
});

test.each([
  ['a sequence', { event: 'Added to Cart', not_followed_by: { event: 'Ordered', within: '24h' } }, ['ada']],
  ['a sequence', { event: 'Added to Cart', followed_by: { event: 'Ordered', within: '24h' } }, ['bob']],
  ['a measure', { event: 'Paid', measure: { sum: 'total', is: 0.3 } }, ['ada']],
  ['a measure', { event: 'Paid', measure: { distinct: 'category', lt: 2 } }, ['bob']],
  ['a list of objects', { event: 'Paid', where: [{ property: 'items', has: DEAR_A }] }, ['ada']],
])('%s is asked over HTTP and by command: %j', async (_, definition, users) => {
  const run = (...words: readonly string[]) => new CliRun(words, { env: { DATA_DIR: service().dataDir } });

  const preview = await service().request('/v1/audiences/preview', { definition });
  const command = run('audience', 'preview', JSON.stringify(definition), '--json');
  const counts = run('events', 'counts', JSON.stringify({ measure: 'users', users: definition }), '--json');

  expect(await preview.json()).toMatchObject({ count: users.length, sample: users });
  expect([await command.code, await counts.code], command.err + counts.err).toEqual([0, 0]);
  expect(JSON.parse(command.out)).toMatchObject({ count: users.length, sample: users });
  expect(JSON.parse(counts.out)).toMatchObject({ series: [{ values: [users.length] }] });
});
