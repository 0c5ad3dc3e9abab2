import { describe, expect, test } from 'vitest';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { runProgram } from '../../support/service/program.ts';
import { records } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LEAVER = 'test/support/programs/event-log-leaver.ts';

describe('a process that ends in the middle of appending', () => {
  test.each([
    ['exit', 7],
    ['throw', 1],
    ['thread', 7],
  ])(
    'a process that ends in the middle of appending exits (%s), and the log accepts appends afterwards',
    async (end, code) => {
      const folder = await temporaryFolder();

      for (let i = 0; i < 8; i++) {
        const { code: ended, stderr } = await runProgram([LEAVER, `log:${folder}`, end]);
        expect(ended, stderr).toBe(code);
      }

      const log = await openEmbedded(folder);
      expect(await log.append(records('t', 1))).toHaveLength(1);
    },
    60_000,
  );
});
