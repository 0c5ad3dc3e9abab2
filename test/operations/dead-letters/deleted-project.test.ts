import { expect, test } from 'vitest';
import { listDeadLetters, showDeadLetter } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { Editor } from '../../../services/operations/dead-letters/editor.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../../support/messages/messages.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const database = sharedDatabase();
const CALL: CommandCall = { report: () => undefined, signal: new AbortController().signal };
const NO_ANALYTICS = { ofGeneration: () => Promise.reject(new Error('not to be asked')) };

test('the dead letters of a deleted project are gone with it, those that are written later too', async () => {
  const log = new MemoryLog();
  const parts = { log, codec, database: database() };
  const settler = new Settler(parts);
  const editor = new Editor({ ...parts, analytics: NO_ANALYTICS });
  const [gone, other] = [randomProjectId(), randomProjectId()];
  const put = (offset: bigint, projectId: string): void => {
    const { key, value } = recordOf(track({ projectId, userId: 'ada' }));
    const at = { topic: 'tidemark.track', partition: 0, offset };
    const letter = { ...at, key, value, error: 'STORE_REJECTED: no', failedAt: 1n, reader: 'sink' };
    log.put(DEAD_LETTER_TOPIC, 0, { key, value: codec.encodeDeadLetter(letter) });
  };
  const list = async (args = {}) => listDeadLetters(parts, args, CALL);
  put(1n, gone);
  put(2n, other);
  expect((await list()).dead_letters).toHaveLength(2);

  await SqlErasures.addProject(database(), { id: gone, name: 'Gone', leaves: true, actor: 'local' });
  put(3n, gone);

  const { dead_letters: letters, facets } = await list({ state: 'any' });
  expect(letters).toMatchObject([{ id: 'tidemark.track/0/2', project_id: other }]);
  expect(facets.project).toEqual([{ value: other, count: 1 }]);
  expect((await list({ project: gone })).dead_letters).toEqual([]);
  for (const id of ['track/0/1', 'track/0/3', 'dead-letter/0/0']) {
    const unknown = { code: 'DEAD_LETTER_UNKNOWN' };
    await expect(showDeadLetter(parts, id, CALL)).rejects.toMatchObject(unknown);
    await expect(editor.edit({ id, record: '{"event":"x"}' }, CALL)).rejects.toMatchObject(unknown);
    expect(await settler.drop({ ids: [id] }, CALL)).toMatchObject({ messages: 0 });
  }
  expect(await settler.replay({ all: true }, CALL)).toMatchObject({ messages: 1 });
  expect(log.records('tidemark.track', 0)).toHaveLength(1);
});
