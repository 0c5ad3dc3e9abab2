import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES } from '../services/runtime/config.ts';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from './support/service/service.ts';
import { sharedService } from './support/service/shared-service.ts';

const readme = readFileSync('README.md', 'utf8');
// In the order in which they are read: what the later ones ask for, the earlier ones have posted.
const curls = [readme, readFileSync('docs/http-api.md', 'utf8')].flatMap(curlExamplesOf);

function curlExamplesOf(page: string): string[] {
  const examples = [...page.matchAll(/```sh\n([^`]*?)```/g)].map((match) => match[1] ?? '');
  return examples.filter((example) => example.includes('curl -s'));
}

/** The first cells of the rows of a page's tables: `NAME` in backticks. */
function rowsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((match) => match[1] ?? ''));
}

describe('each curl example of the README and of docs/http-api.md works as printed', () => {
  const service = sharedService();

  /** What the example prints, and the status of its last answer. */
  async function run(example: string): Promise<{ status: string; body: string }> {
    const script = example
      .replaceAll('http://127.0.0.1:8080', service().url)
      .replaceAll('data/control.sock', join(service().dataDir, 'control.sock'));
    const last = script.lastIndexOf('curl -s');
    const told = `${script.slice(0, last)}curl -s -w '\\n%{http_code}' ${script.slice(last + 'curl -s'.length)}`;
    const env = { ...process.env, WRITE_KEY, READ_KEY, ADMIN_KEY };
    const { stdout } = await promisify(execFile)('bash', ['-euc', told], { env });
    const end = stdout.lastIndexOf('\n');
    return { status: stdout.slice(end + 1), body: stdout.slice(0, end) };
  }

  test('there are examples of all of it', () => {
    const paths = ['/v1/identify', '/v1/track', '/v1/batch', '/v1/users/', '/audiences/preview', '/legacy/add-event'];
    expect(curls.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !curls.some((example) => example.includes(path)))).toEqual([]);
  });

  // `poll`: readers follow in a second.
  test.each(curls.map((example) => [example.trim().split('\n')[0] ?? '', example]))('%s', async (_, example) => {
    await expect.poll(async () => (await run(example)).status, { timeout: 50_000, interval: 200 }).toMatch(/^20[01]$/);
    if (!example.includes('/preview')) return;
    const found = async (): Promise<object> => JSON.parse((await run(example)).body) as object;
    await expect.poll(found, { timeout: 50_000, interval: 200 }).toMatchObject({ count: 1, sample: ['ada'] });
  });
});

describe('the reference pages', () => {
  test('docs/configuration.md has a row for every setting', () => {
    const rows = rowsOf(readFileSync('docs/configuration.md', 'utf8'));
    expect(SETTING_NAMES.filter((name) => !rows.has(name))).toEqual([]);
  });

  test('docs/errors.md has a row for every error code', () => {
    const source = readFileSync('services/runtime/errors.ts', 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map((match) => match[1] ?? '');
    const rows = rowsOf(readFileSync('docs/errors.md', 'utf8'));
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !rows.has(code))).toEqual([]);
  });
});

describe('the README', () => {
  test('says the commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run )?(start|test|bench|check|tidemark)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
