/** The lines of a saved audience, by command, at an embedded service. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { eventually } from '../support/eventually.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService();

beforeAll(async () => {
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { plan: 'pro' } },
    { type: 'identify', user_id: 'bob', traits: { plan: 'free' } },
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
      'user_id,anonymous_id,internal_id,change,at,version,cause,person,plan',
      expect.stringMatching(/^ada,,[0-9a-f]{64},entered,[-0-9T:.]+Z,1,first,,pro$/),
      '',
    ]);
    expect(JSON.parse(sample)).toMatchObject({ sample_users: [{ user_id: 'ada', traits: { plan: 'pro' } }] });
    expect(await endless.code).toBe(2);
  });

  async function saved(name: string, definition: string): Promise<string> {
    return (JSON.parse(await outputOf('audience', 'save', name, definition)) as { id: string }).id;
  }
});
