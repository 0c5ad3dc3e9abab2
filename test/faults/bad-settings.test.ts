import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { runProgram } from '../support/service/program.ts';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { sharedServers } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const canRun = await canRunOnServers();

const WRONG = 'not-the-password';

describe.skipIf(!canRun)('a setting that no waiting cures ends the service with one clear line:', () => {
  const servers = sharedServers();

  /** Runs the service to its end; what it said of why. */
  async function endOf(role: string, settings: Record<string, string>) {
    const env = { PORT: '0', DATA_DIR: await temporaryFolder(), ...servers().settings, ...settings };
    const { code, stdout, stderr } = await runProgram(['services/main.ts', role], env);
    const output = `${stdout}${stderr}`;
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const said = lines.map((line) => JSON.parse(line) as { level: string; code?: string });
    return { exit: code, output, fatal: said.filter(({ level }) => level === 'fatal').map((line) => line.code) };
  }

  test.each(['ingest', 'projector'])('a wrong password of Postgres (%s)', async (role) => {
    const { exit, fatal, output } = await endOf(role, {
      PROFILES_URL: withPassword(servers().settings['PROFILES_URL']),
    });

    expect([exit, fatal], output).toEqual([1, ['SERVER_DENIED']]);
    expect(output).not.toContain(WRONG);
  });

  test.each(['all', 'sink'])('a wrong password of ClickHouse (%s)', async (role) => {
    const settings = { ANALYTICS_URL: withPassword(servers().settings['ANALYTICS_URL']) };

    const { exit, fatal, output } = await endOf(role, settings);

    expect([exit, fatal], output).toEqual([1, ['SERVER_DENIED']]);
    expect(output).not.toContain(WRONG);
  });

  test('a topic that is missing and must not be made', async () => {
    const url = `${servers().settings['EVENT_LOG_URL']}${randomUUID()}.&create_topics=false`;

    const { exit, fatal, output } = await endOf('ingest', { EVENT_LOG_URL: url });

    expect([exit, fatal], output).toEqual([1, ['LOG_MISCONFIGURED']]);
    for (const topic of TOPICS) expect(output).toContain(topic);
  });

  test('another count of partitions than the topics have', async () => {
    const url = `${servers().settings['EVENT_LOG_URL']}${randomUUID()}.`;
    await (await openEventLog(url, { topics: TOPICS, partitions: 2 })).close();

    const { exit, fatal, output } = await endOf('projector', { EVENT_LOG_URL: url, EVENT_LOG_PARTITIONS: '3' });

    expect([exit, fatal], output).toEqual([1, ['LOG_MISCONFIGURED']]);
  });

  test('a schema in the registry that ours may not follow', async () => {
    const prefix = `${randomUUID()}.`;
    const url = `${servers().settings['EVENT_LOG_URL']}${prefix}`;
    const theirs = { type: 'record', name: 'Track', namespace: 'tidemark', fields: [{ name: 'other', type: 'int' }] };
    await register(
      `${servers().settings['EVENT_LOG_URL']?.split('topic_prefix=')[1]}${prefix}tidemark.track-value`,
      theirs,
    );

    const { exit, fatal, output } = await endOf('ingest', { EVENT_LOG_URL: url });

    expect([exit, fatal], output).toEqual([1, ['SCHEMA_INCOMPATIBLE']]);
  });

  async function register(subject: string, schema: object): Promise<void> {
    const response = await fetch(`${servers().settings['SCHEMA_REGISTRY_URL']}/subjects/${subject}/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema: JSON.stringify(schema) }),
    });
    expect(response.status, await response.text()).toBe(200);
  }
});

function withPassword(url = ''): string {
  const wrong = new URL(url);
  wrong.password = WRONG;
  return wrong.href;
}
