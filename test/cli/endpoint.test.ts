import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { ADMIN_KEY, PROJECT, ReadingServer } from '../support/http/reading-server.ts';

let reading: ReadingServer;

beforeAll(async () => (reading = await ReadingServer.start()));
afterAll(() => reading.stop());

function run(...args: string[]): CliRun {
  return new CliRun(['endpoint', ...args, '--url', reading.url], { env: { TIDEMARK_KEY: ADMIN_KEY } });
}

const URL = 'https://ops.example.com/hooks';

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
