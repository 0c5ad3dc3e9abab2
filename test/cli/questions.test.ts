/** Each kind of condition, asked over HTTP and by command, and the lines of a saved audience, at an embedded service. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { eventually } from '../support/eventually.ts';
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
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { plan: 'pro' } },
    { type: 'identify', user_id: 'bob', traits: { plan: 'free' } },
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
  ];
  const accepted = await service().request('/v1/batch', { batch });
  const { receipt } = (await accepted.json()) as { receipt: string };
  await eventually(async () => {
    const state = await service().request(`/v1/receipts/${receipt}?wait=10`);
    expect(await state.json()).toMatchObject({ queryable: true });
  });
});

function run(...words: readonly string[]): CliRun {
  return new CliRun(words, { env: { DATA_DIR: service().dataDir } });
}

async function outputOf(...words: readonly string[]): Promise<string> {
  const command = run(...words);
  expect(await command.code, command.err).toBe(0);
  return command.out;
}

test.each([
  ['a sequence', { event: 'Added to Cart', not_followed_by: { event: 'Ordered', within: '24h' } }, ['ada']],
  ['a sequence', { event: 'Added to Cart', followed_by: { event: 'Ordered', within: '24h' } }, ['bob']],
  ['a measure', { event: 'Paid', measure: { sum: 'total', is: 0.3 } }, ['ada']],
  ['a measure', { event: 'Paid', measure: { distinct: 'category', lt: 2 } }, ['bob']],
  ['a list of objects', { event: 'Paid', where: [{ property: 'items', has: DEAR_A }] }, ['ada']],
])('%s is asked over HTTP and by command: %j', async (_, definition, users) => {
  const preview = await service().request('/v1/audiences/preview', { definition });
  const command = run('audience', 'preview', JSON.stringify(definition), '--json');
  const counts = run('events', 'counts', JSON.stringify({ measure: 'users', users: definition }), '--json');

  expect(await preview.json()).toMatchObject({ count: users.length, sample: users });
  expect([await command.code, await counts.code], command.err + counts.err).toEqual([0, 0]);
  expect(JSON.parse(command.out)).toMatchObject({ count: users.length, sample: users });
  expect(JSON.parse(counts.out)).toMatchObject({ series: [{ values: [users.length] }] });
});

describe('a saved audience', () => {
  test('audience changes --wait goes on with what evaluations find, until it is interrupted', async () => {
    const id = await saved('Waited for', '{"trait":"plan","is":"pro"}');
    const waiting = run('audience', 'changes', id, '--wait');
    await outputOf('audience', 'evaluate', id);
    await waiting.until(({ lines }) => lines.length === 2);
    await outputOf('audience', 'change', id, '--definition', '{"trait":"plan","is":"free"}');
    await outputOf('audience', 'evaluate', id);
    await waiting.until(({ lines }) => lines.length === 5);

    waiting.interrupt();

    expect(await waiting.code).toBe(0);
    const lines = waiting.lines.map(
      (line) => JSON.parse(line) as { user_id?: string; change?: string; through?: string },
    );
    expect(
      lines.map(({ user_id: user, change, through }) => (through === undefined ? `${user} ${change}` : 'end')),
    ).toEqual([
      'ada entered',
      'end',
      expect.stringMatching(/^(ada left|bob entered)$/),
      expect.stringMatching(/^(ada left|bob entered)$/),
      'end',
    ]);
  });

  test('audience members and changes have traits as the profile has them, as lines or as CSV', async () => {
    const id = await saved('With traits', '{"trait":"plan","is":"pro"}');
    await outputOf('audience', 'evaluate', id);

    const lines = await outputOf('audience', 'members', id, '--traits', '*');
    const csv = await outputOf('audience', 'members', id, '--traits', 'plan,email', '--format', 'csv');
    const changes = await outputOf('audience', 'changes', id, '--traits', 'plan', '--format', 'csv');
    const sample = await outputOf('audience', 'preview', '{"trait":"plan","is":"pro"}', '--traits', 'plan');
    const endless = run('audience', 'changes', id, '--wait', '--format', 'csv');

    const profile = await (await service().request('/v1/users/ada')).json();
    const { traits, internal_id: key } = profile as { traits: object; internal_id: string };
    expect(
      lines
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line) as object),
    ).toEqual([{ user_id: 'ada', anonymous_id: null, internal_id: key, traits }, { next_cursor: null }]);
    expect(csv).toBe(`user_id,anonymous_id,internal_id,plan,email\nada,,${key},pro,\n`);
    expect(changes.split('\n')).toEqual([
      'user_id,anonymous_id,internal_id,change,at,version,cause,plan',
      expect.stringMatching(/^ada,,[0-9a-f]{64},entered,[-0-9T:.]+Z,1,first,pro$/),
      '',
    ]);
    expect(JSON.parse(sample)).toMatchObject({ sample_users: [{ user_id: 'ada', traits: { plan: 'pro' } }] });
    expect(await endless.code).toBe(2);
  });

  async function saved(name: string, definition: string): Promise<string> {
    return (JSON.parse(await outputOf('audience', 'save', name, definition)) as { id: string }).id;
  }
});
