import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentIn, contentOfOldLog, putOldLog, TOPICS } from '../../support/event-log/old-log.ts';
import { startProgram } from '../../support/service/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const APPENDER = 'test/support/programs/event-log-appender.ts';
const PRELOAD = '--import=./test/support/programs/kill-at-files.ts';
const SEGMENT_BYTES = '30000';

/** Opens a log, and appends a record, by a process that dies at this operation on files. Returns whether it did. */
async function dyingAt(operation: number, folder: string): Promise<boolean> {
  const args = [PRELOAD, APPENDER, `log:${folder}`, TOPICS.join(','), 'after', '1', '0', SEGMENT_BYTES];
  const program = startProgram(args, { KILL_AT: 'start', KILL_AFTER: String(operation) });
  while ((await program.line()) !== undefined);
  await program.kill();
  return program.child.signalCode === 'SIGKILL';
}

describe('a conversion', { timeout: 1_200_000 }, () => {
  test('a conversion that is killed at any of its operations begins again or is finished, and loses nothing', async () => {
    const old = join(await temporaryFolder(), 'old');
    const folders = await temporaryFolder();
    await putOldLog(old, 'large');
    const content = contentOfOldLog('large');
    const intact = await readFile(join(old, 'data.mdb'));
    const stages = new Set<string>();

    for (let operation = 1; ; operation++) {
      const folder = join(folders, String(operation));
      await cp(old, folder, { recursive: true });
      const isDead = await dyingAt(operation, folder);
      const names = await readdir(folder);
      const kept = names.includes('data.mdb') ? 'data.mdb' : 'data.mdb.converted';
      stages.add(`${kept}${names.includes('converting') ? ', converting' : ''}`);
      expect((await readFile(join(folder, kept))).equals(intact), `operation ${operation}`).toBe(true);

      const { records, committed } = await contentIn(folder);
      const after = [...records].filter(([spot]) => !content.records.has(spot)).map(([, value]) => value);
      for (const [spot, value] of content.records) if (records.get(spot) !== value) expect.fail(`${spot} is lost`);
      expect(committed).toEqual(content.committed);
      expect(after.every((value) => value.includes(' after-0/0/1 ')) && after.length <= 1).toBe(true);
      await rm(folder, { recursive: true });
      if (!isDead) break;
    }

    expect(stages).toEqual(
      new Set(['data.mdb', 'data.mdb, converting', 'data.mdb.converted, converting', 'data.mdb.converted']),
    );
  });
});
