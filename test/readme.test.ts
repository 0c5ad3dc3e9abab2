import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../services/runtime/config.ts';
import { READ_KEY, ServiceProcess, WRITE_KEY } from './support/service.ts';

const readme = readFileSync('README.md', 'utf8');
const examples = [...readme.matchAll(/```sh\n([^`]*?)```/g)].map((match) => match[1] ?? '');
const curls = examples.filter((example) => example.includes('curl'));

describe('each curl example in the README works as printed', () => {
  let folder: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-readme-'));
    service = await ServiceProcess.start(folder);
  });

  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the example prints, and the status of its last answer. */
  async function run(example: string): Promise<{ status: string; body: string }> {
    const script = example.replaceAll('http://127.0.0.1:8080', service.url);
    const last = script.lastIndexOf('curl -s');
    const told = `${script.slice(0, last)}curl -s -w '\\n%{http_code}' ${script.slice(last + 'curl -s'.length)}`;
    const env = { ...process.env, WRITE_KEY, READ_KEY };
    const { stdout } = await promisify(execFile)('bash', ['-euc', told], { env });
    const end = stdout.lastIndexOf('\n');
    return { status: stdout.slice(end + 1), body: stdout.slice(0, end) };
  }

  test('there are examples of all of it', () => {
    const paths = ['/v1/identify', '/v1/track', '/v1/batch', '/v1/users/', '/audiences/preview', '/legacy/add-event'];
    expect(paths.filter((path) => !curls.some((example) => example.includes(path)))).toEqual([]);
  });

  // In the README's order: what the later ones read, the earlier ones have posted. `poll`: readers follow in a second.
  test.each(curls.map((example) => [example.trim().split('\n')[0] ?? '', example]))('%s', async (_, example) => {
    await expect.poll(async () => (await run(example)).status, { timeout: 50_000, interval: 200 }).toBe('200');
    if (!example.includes('/preview')) return;
    const found = async (): Promise<object> => JSON.parse((await run(example)).body) as object;
    await expect.poll(found, { timeout: 50_000, interval: 200 }).toMatchObject({ count: 1, sample: ['ada'] });
  });
});

describe('the README', () => {
  test('names every setting', () => {
    expect(Object.keys(SETTINGS).filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  test('names every error code', () => {
    const source = readFileSync('services/runtime/errors.ts', 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map((match) => match[1] ?? '');
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !readme.includes(`\`${code}\``))).toEqual([]);
  });

  test('says the commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run )?(start|test|bench|check|tidemark)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
