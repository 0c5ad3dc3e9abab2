import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from '../../services/runtime/folder-lock.ts';
import { serveAdmin } from '../support/http/admin-server.ts';
import { runProgram } from '../support/service/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Prints the URL of every module that is loaded. */
const REPORT =
  'data:text/javascript,import m from "node:module";m.registerHooks({load(url,c,next){process.stderr.write(url+"\\n");return next(url,c)}})';

test('a command that a service answers loads no code of a service', async () => {
  const dataDir = await temporaryFolder();
  const lock = lockFolder(dataDir);
  onTestFinished(() => lock.release());
  await serveAdmin(dataDir, {});

  const args = ['--import', REPORT, 'services/cli/tidemark.ts', 'project', 'list'];
  const { code, stderr } = await runProgram(args, { DATA_DIR: dataDir });

  const loaded = stderr.split('\n').flatMap((url) => url.split('/services/').slice(1));
  expect(code).toBe(0);
  expect(loaded).toContain('cli/client/with-service.ts');
  expect(loaded.filter((file) => !/^(cli|runtime)\//.test(file))).toEqual([]);
});
