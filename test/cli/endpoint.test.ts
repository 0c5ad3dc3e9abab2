import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { ADMIN_KEY, PROJECT, ReadingServer } from '../support/http/reading-server.ts';

let reading: ReadingServer;

beforeAll(async () => (reading = await ReadingServer.start()));
afterAll(() => reading.stop());

interface Listed {
  readonly endpoints: readonly { readonly id: string; readonly project_id: string | null; readonly types: unknown }[];
}

function run(...args: string[]): CliRun {
  return new CliRun(['endpoint', ...args, '--url', reading.url], { env: { TIDEMARK_KEY: ADMIN_KEY } });
}

async function listed(...whose: string[]): Promise<Listed['endpoints']> {
  const list = run('list', ...whose, '--json');
  expect(await list.code, list.err).toBe(0);
  return (JSON.parse(list.out) as Listed).endpoints;
}

const URL = 'https://ops.example.com/hooks';

test('with --installation the endpoints are those of the installation, and of no project without it', async () => {
  const types = ['--type', 'dead_letter.waiting', '--type', 'verification.differs'];

  const made = run('create', URL, '--installation', ...types);

  expect(await made.code, made.err).toBe(0);
  expect(made.out).toMatch(/^whsec_/u);
  const own = await listed('--installation');
  expect(own).toMatchObject([{ project_id: null, types: ['dead_letter.waiting', 'verification.differs'] }]);
  expect(await listed('--project', PROJECT.id)).toEqual([]);
  const deleted = run('delete', own[0]?.id ?? '', '--installation');
  expect([await deleted.code, await listed('--installation')]).toEqual([0, []]);
});

test('an endpoint that is a topic has no secret to print, and is refused where the log is not on Kafka', async () => {
  const made = run('create', TOPIC_URL, '--project', PROJECT.id, '--json');
  const plain = run('create', TOPIC_URL, '--project', PROJECT.id);
  expect([await made.code, await plain.code], made.err).toEqual([0, 0]);
  reading.isOnKafka = false;

  const denied = run('create', TOPIC_URL, '--project', PROJECT.id);

  expect(await denied.code).not.toBe(0);
  expect(denied.err).toContain('not on Kafka');
  expect(JSON.parse(made.out)).toMatchObject({ url: TOPIC_URL, secret: null });
  expect([plain.out, plain.err]).toEqual(['', expect.stringMatching(/is a topic\. It has no secret\.\n$/u)]);
  reading.isOnKafka = true;
  await reading.database.query('delete from endpoints');
});

test('a project beside --installation is refused, and so is a type that the installation is not told of', async () => {
  const both = run('list', '--installation', '--project', PROJECT.id);
  const foreign = run('create', URL, '--installation');

  expect([await both.code, await foreign.code]).toEqual([2, 2]);
  expect(both.err).toContain('--installation leaves no room for a project.');
  expect(foreign.err).toContain('/types/0');
});
