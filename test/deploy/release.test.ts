/** The workflow of a release, and its script with a Docker, a cosign and a gh that note what they are asked. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const SCRIPT = readFileSync('.ci/release', 'utf8');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const NOTING = `#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in *'imagetools inspect'*) echo "$DIGEST" ;; esac
`;

interface Scene {
  readonly folder: string;
  readonly calls: () => string[];
  readonly run: (...args: string[]) => Promise<unknown>;
}

async function scene(version = '1.2.3', digest = DIGEST): Promise<Scene> {
  const folder = await temporaryFolder();
  const calls = join(folder, 'calls');
  for (const made of ['.ci', 'bin', 'release']) mkdirSync(join(folder, made));
  cpSync('.ci/release', join(folder, '.ci/release'));
  cpSync('deploy', join(folder, 'deploy'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `{\n  "name": "tidemark",\n  "version": "${version}",\n  "x": 1\n}\n`);
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changes\n\n## 1.2.3\n\n- New.\n\n## 1.2.2\n\n- Old.\n');
  writeFileSync(join(folder, 'release/sbom.cdx.json'), '{}');
  writeFileSync(calls, '');
  for (const program of ['docker', 'cosign', 'gh', 'helm'])
    writeFileSync(join(folder, 'bin', program), NOTING, { mode: 0o755 });
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    CALLS: calls,
    DIGEST: digest,
    IMAGE: 'ghcr.io/Owner/Tidemark',
    GITHUB_REPOSITORY: 'Owner/Tidemark',
  };
  return {
    folder,
    calls: () => readFileSync(calls, 'utf8').trim().split('\n'),
    run: (...args) => promisify(execFile)('bash', [join(folder, '.ci/release'), ...args], { env }),
  };
}

describe('the workflow', () => {
  const { jobs, permissions } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as Workflow;
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])));

  test('every workflow is YAML with jobs', () => {
    const workflows = globSync('.github/workflows/*.yml').map((file) => parse(readFileSync(file, 'utf8')) as Workflow);

    expect(workflows.length).toBeGreaterThan(2);
    expect(workflows.filter(({ jobs: some }) => Object.keys(some).length === 0)).toEqual([]);
  });

  test('a step is one line: a script of the repository, npm, or the login', () => {
    const scripts = runs.flatMap((run) => /^(?:node )?((?:\.ci|tools)\/[\w.-]+)/.exec(run)?.[1] ?? []);
    const others = runs.filter(
      (run) => !/^(?:(?:node )?(?:\.ci|tools)\/|npm |echo "\$TOKEN" \| docker login )/.test(run),
    );

    expect([runs.length, scripts.length].map((count) => count > 6)).toEqual([true, true]);
    expect(scripts.filter((script) => !existsSync(script))).toEqual([]);
    expect(others).toEqual([]);
    // What a person may name, as a tag, comes by the environment alone.
    expect(runs.filter((run) => run.includes('\n') || run.includes('${{'))).toEqual([]);
  });

  test('it takes every step that the script has', () => {
    const [, steps = ''] = /^ {2}([a-z-]+(?: \| [a-z-]+)+)\) "\$@"/m.exec(SCRIPT) ?? [];
    const named = runs.flatMap((run) => /^\.ci\/release ([\w-]+)/.exec(run)?.[1] ?? []);

    expect(new Set(named)).toEqual(new Set(steps.split(' | ')));
  });

  test('only what publishes may write and sign, after all else has passed', () => {
    const writing = Object.entries(jobs).filter(([, job]) => job.permissions?.['id-token'] === 'write');

    expect(permissions).toEqual({ contents: 'read' });
    expect(writing.map(([name, { needs }]) => [name, needs])).toEqual([['publish', 'image']]);
    expect(jobs['image']?.needs).toBe('check');
    expect(jobs['image']?.permissions).toEqual({ contents: 'read', packages: 'write' });
  });
});

describe('the steps of a release', () => {
  test('a tag is taken that is the version of the package and has a section in the changelog', async () => {
    const { run } = await scene();

    await expect(run('check-tag', 'v1.2.3')).resolves.toBeDefined();
  });

  test.each([
    ['that is another version', '1.2.3', 'v1.2.4'],
    ['of a version in development', '1.2.3-dev', 'v1.2.3-dev'],
    ['that the changelog does not know', '1.2.4', 'v1.2.4'],
  ])('a tag %s is refused', async (_, version, tag) => {
    const { run } = await scene(version);

    await expect(run('check-tag', tag)).rejects.toMatchObject({ code: 1 });
  });

  test('the chart is linted with every file of values, and packaged by the version', async () => {
    const { calls, run } = await scene();

    await run('chart');

    const chart = 'deploy/helm/tidemark';
    expect(calls()).toEqual([
      `helm lint --strict ${chart}`,
      ...globSync('deploy/helm/values/*.yaml')
        .sort()
        .map((values) => `helm lint --strict --values ${values} ${chart}`),
      `helm package --version 1.2.3 --app-version 1.2.3 --destination release ${chart}`,
    ]);
  });

  test('an image is built, tried in its composition and as OpenShift runs it, and pushed', async () => {
    const { calls, run } = await scene();

    for (const step of ['build', 'try', 'push']) await run(step, 'all', 'arm64');

    const name = 'ghcr.io/owner/tidemark:1.2.3-all-arm64';
    expect(calls()).toEqual([
      `docker build --file deploy/Dockerfile --target all --tag ${name} .`,
      'docker compose --file deploy/small.yml up --detach --no-build --wait',
      'docker compose --file deploy/small.yml down --volumes',
      expect.stringMatching(/^docker run .*--user 1000650000:0 .*1\.2\.3-all-arm64$/),
      'docker exec unknown-user node deploy/health-check.ts /readyz',
      'docker exec unknown-user node deploy/health-check.ts /readyz',
      'docker rm --force --volumes unknown-user',
      `docker push ${name}`,
    ]);
  });

  test('the image for servers is tried with them, which have secrets', async () => {
    const { calls, folder, run } = await scene();

    await run('try', 'servers', 'amd64');

    expect(calls()).toEqual([
      'docker compose --file deploy/three.yml up --detach --no-build --wait',
      'docker compose --file deploy/three.yml down --volumes',
    ]);
    expect(readFileSync(join(folder, 'secrets/profiles-url-admin'), 'utf8')).toMatch(/^postgres:.*\n$/);
  });

  test('both platforms get one name, which is signed by its digest and verified', async () => {
    const { calls, folder, run } = await scene();

    await run('publish', 'servers', 'amd64', 'arm64');

    const name = 'ghcr.io/owner/tidemark';
    expect(calls()).toEqual([
      `docker buildx imagetools create --tag ${name}:1.2.3 ${name}:1.2.3-amd64 ${name}:1.2.3-arm64`,
      `docker buildx imagetools inspect ${name}:1.2.3 --format {{.Manifest.Digest}}`,
      `cosign sign --yes ${name}@${DIGEST}`,
      `cosign attest --yes --type cyclonedx --predicate release/sbom.cdx.json ${name}@${DIGEST}`,
      expect.stringMatching(/^cosign verify .*\^https:\/\/github\.com\/Owner\/Tidemark\/ ghcr.io/),
    ]);
    expect(readFileSync(join(folder, 'release/images.txt'), 'utf8')).toBe(`${name}:1.2.3@${DIGEST} TIDEMARK_IMAGE\n`);
  });

  test('nothing is signed where the registry gives no digest', async () => {
    const { calls, run } = await scene('1.2.3', 'none');

    await expect(run('publish', 'all', 'amd64')).rejects.toMatchObject({ code: 1 });

    expect(calls().filter((call) => call.startsWith('cosign'))).toEqual([]);
  });

  test('a draft has what changed, the scripts, and the images with ours by their digests', async () => {
    const { calls, folder, run } = await scene();
    for (const target of ['servers', 'all']) await run('publish', target, 'amd64');

    await run('draft');

    const images = readFileSync(join(folder, 'release/images.txt'), 'utf8');
    const foreign = readFileSync('deploy/images.txt', 'utf8')
      .split('\n')
      .filter((line) => /^[a-z]/.test(line));
    expect(calls().at(-1)).toMatch(
      /^gh release create v1\.2\.3 --draft .*images\.txt .*sbom\.cdx\.json .*tidemark-1\.2\.3\.tgz .*load-images\.sh$/,
    );
    expect(readFileSync(join(folder, 'release/notes.md'), 'utf8').trim()).toBe('- New.');
    expect(images.match(/^\S+ TIDEMARK\w*$/gm)).toEqual([
      `ghcr.io/owner/tidemark:1.2.3@${DIGEST} TIDEMARK_IMAGE`,
      `ghcr.io/owner/tidemark:1.2.3-all@${DIGEST} TIDEMARK_ALL_IMAGE`,
    ]);
    expect(foreign.filter((line) => !line.startsWith('tidemark:') && !images.includes(line))).toEqual([]);
  });
});
