import { expect, test } from 'vitest';
import { audienceCommands, type AudienceCommandParts } from '../../../services/query-api/audiences/commands.ts';
import { MemoryAudienceStore } from '../../support/memory-audience-store.ts';
import { PROJECT } from '../../support/reading-server.ts';
import { MemoryAnalytics } from '../../support/reading-fakes.ts';

const CALL = { report: () => undefined, signal: new AbortController().signal };
const project = PROJECT.id;

function scene(saved = new MemoryAudienceStore()) {
  const analytics = new MemoryAnalytics();
  const parts: AudienceCommandParts = {
    projects: { listProjects: async () => [PROJECT] },
    saved,
    evaluator: { evaluate: () => Promise.reject(new Error('not asked for')) },
    analytics,
    audiencesOf: () => ({ preview: () => Promise.reject(new Error('not asked for')) }) as never,
    limitsOf: () => ({ maxMs: 1, maxMemoryBytes: 1, maxRowsRead: 1 }),
  };
  return { analytics, commands: audienceCommands(parts) };
}

test('a definition is kept digit for digit, and shown, changed and deleted by its id', async () => {
  const { commands } = scene();
  const definition = '{"trait":"n","is":9007199254740993}';

  const saved = await commands['audience save']({ project, name: 'N', definition, refresh: '1h' }, CALL);
  const { id } = JSON.parse(saved.json) as { id: string };
  const changed = await commands['audience change']({ project, id, refresh: null }, CALL);
  const deleted = await commands['audience delete']({ project, id }, CALL);

  expect(saved.json).toContain(`"definition":${definition}`);
  expect(JSON.parse(changed.json)).toMatchObject({ name: 'N', refresh: null, version: 1 });
  expect(JSON.parse(deleted.json)).toEqual({ id, deleted: true });
  await expect(commands['audience show']({ project, id }, CALL)).rejects.toMatchObject({ code: 'AUDIENCE_UNKNOWN' });
});

test('members are returned in pages of bounded size', async () => {
  const { analytics, commands } = scene();
  const saved = await commands['audience save']({ project, name: 'N', definition: '{"trait":"n","is":1}' }, CALL);
  const { id } = JSON.parse(saved.json) as { id: string };
  analytics.lines = [{ user_id: 'ada', internal_id: 'a'.repeat(64) }];

  const page = await commands['audience members']({ project, id, limit: 1 }, CALL);

  expect(page.json.split('\n')[1]).toMatch(/^\{"next_cursor":"\w/);
});

test('a command that HTTP would refuse fails with COMMAND_INVALID', async () => {
  const { commands } = scene();
  const save = (args: object) => commands['audience save']({ project, ...args }, CALL);

  await expect(save({ name: 'N', definition: '{' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  await expect(save({ name: 'N', definition: '{"trait":7}' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  await expect(save({ definition: '{"trait":"n","is":1}' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  await expect(commands['audience list']({ project: 'none' }, CALL)).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
});

test('one audience more than a project may have is refused', async () => {
  const { commands } = scene(new MemoryAudienceStore(1));
  const save = (name: string) => commands['audience save']({ project, name, definition: '{"trait":"n","is":1}' }, CALL);
  await save('A');

  await expect(save('B')).rejects.toMatchObject({ code: 'AUDIENCE_LIMIT' });
});
