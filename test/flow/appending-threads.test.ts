import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { MESSAGE_TOPICS, PROJECT_TOPIC, TOPICS } from '../../services/messages/message.ts';
import { ADMIN_KEY, type ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { trackLines } from '../support/service/importing.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readLog } from '../torture/check/read-log.ts';

const CALLERS = 20;
const POSTS_OF_A_CALLER = 100;
const IMPORTED = 5_000;
const PROJECTS = 30;

const admin = { api_key: ADMIN_KEY };

describe('the log of a started service', () => {
  test('the threads of requests, of imports and of projects append to it at once, and nothing is lost or doubled', async () => {
    const folder = await temporaryFolder();
    const url = `log:${join(folder, 'event-log')}`;
    const service = await startedService(folder, { EVENT_LOG_URL: url });
    const file = await upload(service, trackLines(IMPORTED));

    const begun = await service.request('/v1/admin/imports', { project: 'default', file, untimed: true }, admin);
    expect(begun.status).toBe(202);
    await Promise.all([
      ...Array.from({ length: CALLERS }, (_, caller) => postTracks(service, caller)),
      makeProjects(service),
    ]);
    await vi.waitFor(
      async () => expect(await lastImport(service)).toMatchObject({ state: 'done', result: { accepted: IMPORTED } }),
      {
        timeout: 60_000,
        interval: 200,
      },
    );
    expect(await service.stop()).toBe(0);

    expect(await messagesIn(url)).toEqual({ given: CALLERS * POSTS_OF_A_CALLER, imported: IMPORTED, undecodable: [] });
    expect(await recordsIn(url)).toEqual({ messages: CALLERS * POSTS_OF_A_CALLER + IMPORTED, projects: PROJECTS + 1 });
  }, 120_000);
});

async function upload(service: ServiceProcess, text: string): Promise<string> {
  const response = await fetch(`${service.url}/v1/admin/imports/files?name=history.ndjson`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/octet-stream' },
    body: text,
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

async function postTracks(service: ServiceProcess, caller: number): Promise<void> {
  for (let n = 0; n < POSTS_OF_A_CALLER; n++) {
    const track = { user_id: `u${n % 7}`, event: 'Seen', message_id: `post-${caller}-${n}` };
    expect((await service.request('/v1/track', track)).status).toBe(200);
  }
}

async function makeProjects(service: ServiceProcess): Promise<void> {
  for (let n = 0; n < PROJECTS; n++)
    expect((await service.request('/v1/admin/projects', { name: `project-${n}` }, admin)).status).toBe(201);
}

async function lastImport(service: ServiceProcess): Promise<unknown> {
  const response = await service.request('/v1/admin/imports?limit=1', undefined, admin);
  return ((await response.json()) as { imports: readonly unknown[] }).imports[0];
}

async function messagesIn(url: string) {
  const given = new Set<string>();
  const imported = new Set<string>();
  const { undecodable } = await readLog(url, ({ messageId, topic }) =>
    (topic.includes('import') ? imported : given).add(messageId),
  );
  return { given: given.size, imported: imported.size, undecodable };
}

/** How many records there are by the ends of the partitions, which a scan has to find whole. */
async function recordsIn(url: string) {
  const log = await openEventLog(url, { topics: TOPICS });
  try {
    const counted = async (topics: readonly string[]) =>
      (await log.ends(topics)).reduce((sum, { offset }) => sum + Number(offset), 0);
    return { messages: await counted(MESSAGE_TOPICS), projects: await counted([PROJECT_TOPIC]) };
  } finally {
    await log.close();
  }
}
