import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../../../services/cli/run-cli.ts';
import { ImportClient } from '../../../support/service/import-client.ts';
import { sharedService } from '../../../support/service/shared-service.ts';

const USERS = ['bob', 'eve', 'zoe', 'max'];
const GONE = ['zoe', 'max'];
const COUNT = 1_200;

const service = sharedService();
const client = new ImportClient(service);

function userOf(line: number): string {
  return USERS[line % USERS.length] ?? '';
}

function lines(count: number): string {
  const text = (line: number): string =>
    JSON.stringify({ type: 'track', user_id: userOf(line), event: 'Paid', timestamp: '2026-01-02T03:04:05Z' });
  return Array.from({ length: count }, (_, index) => `${text(index + 1)}\n`).join('');
}

/** The command's last line. */
async function check(project: string): Promise<string> {
  const file = join(service().dataDir, 'checked.ndjson');
  await writeFile(file, lines(8));
  let out = '';
  const print = (text: string): void => void (out += text);
  const context = { env: { DATA_DIR: service().dataDir }, out: print, err: () => undefined };
  await runCli(['import', file, '--dry-run', '--project', project], context);
  return out;
}

async function forget(project: string, user: string, suppress: boolean): Promise<string> {
  const path = `/v1/users/${user}?project=${project}&suppress=${suppress}`;
  const { status, body } = await client.send('DELETE', path);
  expect(status).toBe(202);
  const [erasure] = body['erasures'] as readonly { readonly id: string }[];
  return erasure?.id ?? '';
}

test(
  'an import says how many lines it drops of people who are forgotten: going on, running, and begun later',
  { timeout: 180_000 },
  async () => {
    const { id: project } = (await client.send('POST', '/v1/admin/projects', { name: 'forgetful' })).body;
    const id = await client.start({ project, file: await client.upload(lines(COUNT), 'all.ndjson'), rate: 40 });
    await client.untilLines(id, 100);
    await client.send('DELETE', `/v1/admin/jobs/${id}`);
    expect(await client.end(id)).toMatchObject({ state: 'cancelled' });

    await forget(project, 'zoe', false);
    const lifted = await client.send('POST', `/v1/admin/erasures/${await forget(project, 'max', true)}/lift`);
    await client.send('POST', `/v1/admin/imports/${id}/resume`);
    await client.untilDropped(id);
    await forget(project, 'eve', true);
    const { result, progress } = await client.end(id);
    const later = await client.start({ project, file: await client.upload(lines(8), 'later.ndjson') });
    const begunLater = await client.end(later);

    const checked = await check(project);

    expect(lifted.status).toBe(200);
    const {
      accepted,
      dropped,
      resumed_at_line: at,
    } = result as Record<'accepted' | 'dropped' | 'resumed_at_line', number>;
    const known = Array.from({ length: COUNT - at }, (_, index) => userOf(at + index + 1));
    expect(dropped).toBeGreaterThan(known.filter((user) => GONE.includes(user)).length);
    expect(dropped).toBeLessThan(known.filter((user) => user !== 'bob').length);
    expect(accepted).toBe(COUNT - dropped);
    expect(progress).toMatchObject({ accepted, dropped, refused: 0 });
    expect(begunLater).toMatchObject({ result: { accepted: 2, dropped: 6, refused: 0, lines: 8 } });
    expect(checked).toMatch(/^2 valid.*\b6 dropped/u);
  },
);
