import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { actionsIn, imagesIn, isOurs, listOf, problemsOf, problemsOfAction, withDigests } from '../../tools/pins.ts';
import { parseImage } from '../../tools/registry.ts';
import { defaultsOf, readCompose } from '../support/service/compose.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const COMPOSE_FILES = ['docker-compose.yml', ...globSync('deploy/*.yml')];
const textsOf = (files: readonly string[]): string[] => files.map((file) => readFileSync(file, 'utf8'));
const images = imagesIn(textsOf([...COMPOSE_FILES, 'deploy/Dockerfile']));
const workflows = textsOf(globSync('.github/workflows/*.yml'));

// Their registry could not be asked when the others were pinned. The list may only become shorter: node tools/pins.ts write.
const WITHOUT_DIGEST = ['apicurio/apicurio-registry', 'clickhouse/clickhouse-server'];

const INDEX = JSON.stringify({
  manifests: ['amd64', 'arm64'].map((architecture) => ({ platform: { os: 'linux', architecture } })),
});
const DIGEST = digestOf(INDEX);
const ONE_PLATFORM = '{"layers":[]}';

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** A registry with one image under a tag and a digest, which asks for a token as Docker's does. */
async function startRegistry(manifest = INDEX): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => {
    const { port } = server.address() as AddressInfo;
    const has = [`/v2/library/store/manifests/1.2`, `/v2/library/store/manifests/${DIGEST}`];
    if (url.startsWith('/token?'))
      response.end(JSON.stringify({ token: new URL(url, 'http://x').searchParams.get('scope') }));
    else if (headers.authorization !== 'Bearer pull-store')
      response
        .writeHead(401, { 'www-authenticate': `Bearer realm="http://127.0.0.1:${port}/token",scope="pull-store"` })
        .end();
    else response.writeHead(has.includes(url) ? 200 : 404).end(manifest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the images', () => {
  test('deploy/images.txt has every image that is named, and no other', () => {
    const composed = COMPOSE_FILES.flatMap((file) => Object.values(readCompose(file).services));
    const named = new Set(composed.map(({ image }) => defaultsOf(image)));
    const base = images.filter(({ variable }) => variable === 'NODE_IMAGE').map(({ image }) => image);

    expect(base).toHaveLength(1);
    expect(new Set(images.map(({ image }) => image))).toEqual(new Set([...named, ...base]));
    expect(readFileSync('deploy/images.txt', 'utf8')).toBe(listOf(images));
  });

  test('each is of one version, and by its digest', () => {
    const foreign = images.filter((image) => !isOurs(image)).map(({ image }) => parseImage(image));
    const without = foreign.filter(({ digest = '' }) => !/^sha256:[0-9a-f]{64}$/.test(digest));

    expect(images.filter(({ image }) => !/^\d+\.\d+[\w.-]*$/.test(parseImage(image).tag))).toEqual([]);
    expect(foreign.length).toBeGreaterThan(3);
    expect(without.map(({ name }) => name)).toEqual(WITHOUT_DIGEST);
  });

  test('no image is named without a variable', () => {
    const composed = COMPOSE_FILES.flatMap((file) => readFileSync(file, 'utf8').match(/^ +image: .*$/gm) ?? []);

    expect(composed.length).toBeGreaterThan(5);
    expect(composed.filter((line) => !/: '?\$\{[A-Z_]+_IMAGE:-[^}]+\}'?$/.test(line))).toEqual([]);
  });
});

describe('what a registry says of an image', () => {
  test('a digest that is there for both platforms has no problem', async () => {
    const hub = await startRegistry();

    expect(await problemsOf({ image: `store:1.2@${DIGEST}`, variable: '' }, hub)).toEqual([]);
  });

  test('a digest that the registry does not have is a problem', async () => {
    const image = `store:1.2@${digestOf('other')}`;
    const hub = await startRegistry();

    expect(await problemsOf({ image, variable: '' }, hub)).toEqual([expect.stringMatching(/answered 404$/)]);
  });

  test('content that is not of the digest is a problem, and one platform alone is another', async () => {
    const hub = await startRegistry(ONE_PLATFORM);
    const image = `store:1.2@${DIGEST}`;

    expect(await problemsOf({ image, variable: '' }, hub)).toEqual([
      `${image}: the registry answered with ${digestOf(ONE_PLATFORM)}`,
      `${image} is not for linux/amd64`,
      `${image} is not for linux/arm64`,
    ]);
  });

  test('a missing digest is written wherever the image is named, and the others stay', async () => {
    const texts = [
      'image: ${STORE_IMAGE:-store:1.2}\nimage: ${TIDEMARK_IMAGE:-tidemark:1.0.0}\n',
      `ARG BASE_IMAGE=base:1.0@${DIGEST}\nimage: \${STORE_IMAGE:-store:1.2}\n`,
    ];

    expect(await withDigests(texts, await startRegistry())).toEqual([
      `image: \${STORE_IMAGE:-store:1.2@${DIGEST}}\nimage: \${TIDEMARK_IMAGE:-tidemark:1.0.0}\n`,
      `ARG BASE_IMAGE=base:1.0@${DIGEST}\nimage: \${STORE_IMAGE:-store:1.2@${DIGEST}}\n`,
    ]);
  });
});

describe('actions', () => {
  test('each action of a workflow is named by a commit, and the tag that it was', () => {
    const actions = actionsIn(workflows);

    expect(actions.length).toBeGreaterThan(6);
    expect(actions).toHaveLength(workflows.join('\n').match(/\buses:/g)?.length ?? 0);
    expect(
      actions.filter(({ commit, tag = '' }) => !/^[0-9a-f]{40}$/.test(commit) || !/^v\d+\.\d+\.\d+$/.test(tag)),
    ).toEqual([]);
  });

  test('a commit is held against the tag where the action comes from', async () => {
    const folder = await temporaryFolder();
    const git = (...args: string[]): string =>
      execFileSync('git', [
        '-c',
        'user.name=x',
        '-c',
        'user.email=x',
        '-C',
        join(folder, 'team/action'),
        ...args,
      ]).toString();
    execFileSync('git', ['init', '--quiet', join(folder, 'team/action')]);
    git('commit', '--quiet', '--allow-empty', '--message', 'first');
    git('tag', '--annotate', 'v1.0.0', '--message', 'first');
    const commit = git('rev-parse', 'HEAD').trim();
    const action = { action: 'team/action/part', commit, tag: 'v1.0.0' };

    expect(problemsOfAction(action, folder)).toEqual([]);
    expect(problemsOfAction({ ...action, tag: 'v1.0.1' }, folder)).toEqual([
      `team/action/part v1.0.1 is not there, not ${commit}`,
    ]);
    expect(problemsOfAction({ ...action, commit: '0'.repeat(40) }, folder)).toEqual([
      `team/action/part v1.0.0 is ${commit}, not ${'0'.repeat(40)}`,
    ]);
  });
});
