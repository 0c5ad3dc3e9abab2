/** The scripts for networks without a registry, with a Docker that notes what it is asked. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Saves the name of an image as its content; has every image but those whose name has `absent` in it. */
const DOCKER = `#!/bin/sh
echo "$*" >> "$CALLS"
case $1 in
  save) echo "content of $4" > "$3" ;;
  image) case $3 in *absent*) exit 1 ;; esac ;;
esac
`;

interface Scene {
  readonly images: string;
  readonly calls: () => string[];
  readonly run: (script: string, ...args: string[]) => Promise<string>;
}

async function scene(list: string): Promise<Scene> {
  const folder = await temporaryFolder();
  const calls = join(folder, 'calls');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/docker'), DOCKER, { mode: 0o755 });
  for (const script of ['save-images.sh', 'load-images.sh'])
    writeFileSync(join(folder, script), readFileSync(join('deploy', script)));
  writeFileSync(join(folder, 'images.txt'), list);
  writeFileSync(calls, '');
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, CALLS: calls };
  return {
    images: join(folder, 'images'),
    calls: () => readFileSync(calls, 'utf8').trim().split('\n'),
    run: async (script, ...args) => (await promisify(execFile)('sh', [join(folder, script), ...args], { env })).stdout,
  };
}

const LIST = `# Every image.
tidemark:1.0.0 TIDEMARK_IMAGE
host.example/team/store:2.3@sha256:abc STORE_IMAGE
absent:4.5 OTHER_IMAGE
`;

describe('images in files', () => {
  test('an image is pulled by its digest and saved by its name, ours is not pulled', async () => {
    const { images, calls, run } = await scene(LIST);

    await run('save-images.sh', images);

    expect(calls().filter((call) => !call.startsWith('image '))).toEqual([
      `save --output ${images}/tidemark_1.0.0.tar tidemark:1.0.0`,
      'pull host.example/team/store@sha256:abc',
      'tag host.example/team/store@sha256:abc host.example/team/store:2.3',
      `save --output ${images}/host.example_team_store_2.3.tar host.example/team/store:2.3`,
      'pull absent:4.5',
      `save --output ${images}/absent_4.5.tar absent:4.5`,
    ]);
  });

  test('what was saved is loaded, and asked for by the names that .env is told', async () => {
    const { images, calls, run } = await scene(LIST);
    await run('save-images.sh', images);

    const printed = await run('images/load-images.sh', images);

    expect(printed).toBe('STORE_IMAGE=host.example/team/store:2.3\nOTHER_IMAGE=absent:4.5\n');
    expect(calls().filter((call) => call.startsWith('load '))).toEqual([
      'load --input ./absent_4.5.tar.gz',
      'load --input ./host.example_team_store_2.3.tar.gz',
      'load --input ./tidemark_1.0.0.tar.gz',
    ]);
  });

  test('nothing is loaded where one file was changed', async () => {
    const { images, calls, run } = await scene(LIST);
    await run('save-images.sh', images);
    appendFileSync(join(images, 'tidemark_1.0.0.tar.gz'), 'x');

    await expect(run('load-images.sh', images)).rejects.toMatchObject({ code: 1 });

    expect(calls().filter((call) => call.startsWith('load '))).toEqual([]);
  });

  test.each([
    ['store', []],
    ['host.example/team/store', ['host.example_team_store_2.3.tar.gz']],
    ['tidemark:1.0.0', ['tidemark_1.0.0.tar.gz']],
  ])('%s saves %j alone', async (name, expected) => {
    const { images, run } = await scene(LIST);

    const saving = run('save-images.sh', images, name);

    await (expected.length > 0 ? saving : expect(saving).rejects.toMatchObject({ code: 1 }));
    expect(readdirSync(images).filter((file) => file.endsWith('.gz'))).toEqual(expected);
  });

  test('a folder with something in it is refused', async () => {
    const { run } = await scene(LIST);

    await expect(run('save-images.sh', resolve('deploy'))).rejects.toMatchObject({ code: 1 });
  });
});
