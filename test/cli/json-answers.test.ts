/** `--json` of every command, beside what a service answered to it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidemark } from '../../services/cli/run-cli.ts';
import { keepDigits } from '../../services/messages/exact-number.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { eventually } from '../support/eventually.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { type Exchange, RecordingProxy } from '../support/http/recording-proxy.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { ADMIN_KEY } from '../support/service/service.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService((dataDir) => ({
  ...withOwnLog(dataDir),
  BACKUP_DIR: join(dataDir, 'backups'),
  BACKUP_EVERY: 'off',
}));
let proxy: RecordingProxy;

/** Ids that commands printed, for those after them. */
const known = { project: '', key: '', audience: '', endpoint: '', letter: '', erasure: '', note: '' };

beforeAll(async () => {
  proxy = await RecordingProxy.start(service().url);
  const properties = { total: JSON.rawJSON('12345678901234567890'), 7: 'b', 1: 'a' };
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { plan: 'pro', n: JSON.rawJSON('12345678901234567890') } },
    { type: 'track', user_id: 'ada', event: 'Paid', properties },
    { type: 'track', user_id: 'ada', event: 'Paid', properties },
  ];
  await recordedIn(service(), '/v1/batch', { batch });
  const { projects } = await asked<{ projects: { id: string }[] }>('/v1/admin/projects');
  known.project = projects[0]?.id ?? '';
  await putAside(known.project);
}, 180_000);

afterAll(() => proxy.stop());

/** Postgres has no text with a NUL, and no message that came by HTTP has one. */
async function putAside(projectId: string): Promise<void> {
  const record = recordOf(identify({ projectId, userId: 'eve\0', traits: '{"n":12345678901234567.25}' }));
  await appendToOwnLog(service().dataDir, [{ topic: 'tidemark.identify', ...record }]);
  await eventually(async () => {
    const { dead_letters: letters } = await asked<{ dead_letters: { id: string }[] }>('/v1/admin/dead-letters');
    expect(letters).toHaveLength(1);
    known.letter = letters[0]?.id ?? '';
  });
}

function asked<T>(path: string): Promise<T> {
  return service().ask(path, undefined, { key: ADMIN_KEY });
}

async function run(words: readonly string[]): Promise<{ readonly out: string; readonly answers: readonly Exchange[] }> {
  proxy.taken();
  const command = new CliRun([...words, '--json', '--url', proxy.url, '--key', ADMIN_KEY]);
  const code = await command.code;
  // Those of 1 and 3 have a finding, and an answer too.
  expect(code === 0 || command.out !== '', `${words.join(' ')}: ${command.err}`).toBe(true);
  return { out: command.out, answers: proxy.taken() };
}

const PRO = '{"trait":"plan","is":"pro"}';
const FUNNEL = '{"sequence":{"event":"Paid","followed_by":{"event":"Seen","within":"1d"}}}';
const EXACT = '{"trait":"n","gte":12345678901234567890}';

/** For a key of the installation. */
const of = (): readonly string[] => ['--project', known.project];

/** The words of each command, in the order in which they can be run. */
const COMMANDS: readonly (readonly [command: string, words: () => readonly string[]])[] = [
  ['project create', () => ['Second']],
  ['project list', () => []],
  ['project set', () => ['Second', '--rate-limit', '7']],
  ['project old-events', () => ['Second', '--keep-events', '13mo']],
  ['project delete', () => ['Second', '--dry-run']],
  ['project delete', () => ['Second', '--confirm', 'Second']],
  ['key create', () => ['--scope', 'read', ...of()]],
  ['key list', () => [...of()]],
  ['key revoke', () => [known.key]],
  ['join list', () => [...of()]],
  ['join show', () => ['cookie', ...of()]],
  ['join set', () => ['cookie', '--says', 'apart', ...of()]],
  ['audience preview', () => [PRO]],
  ['audience save', () => ['Exact', EXACT]],
  ['audience list', () => []],
  ['audience show', () => [known.audience]],
  ['audience change', () => [known.audience, '--definition', PRO]],
  ['audience evaluate', () => [known.audience]],
  ['audience members', () => [known.audience]],
  ['audience changes', () => [known.audience]],
  ['audience history', () => [known.audience]],
  ['audience versions', () => [known.audience]],
  ['audience compare', () => [known.audience, EXACT]],
  ['audience explain', () => [`{"all":[${PRO},${EXACT}]}`]],
  ['audience why', () => [`{"all":[${PRO},${EXACT}]}`, '--user', 'ada']],
  ['endpoint create', () => ['https://receiver.invalid/', '--audience', known.audience, '--traits', 'email']],
  ['endpoint list', () => []],
  ['endpoint show', () => [known.endpoint]],
  ['endpoint change', () => [known.endpoint, '--batch-size', '7', '--disable']],
  ['endpoint rotate', () => [known.endpoint, '--keep-old', '0']],
  ['endpoint test', () => [known.endpoint]],
  ['endpoint deliveries', () => [known.endpoint]],
  ['endpoint resend', () => [known.endpoint, '--since', '2026-01-01']],
  ['export', () => [join(service().dataDir, 'definitions'), ...of()]],
  ['apply', () => [join(service().dataDir, 'definitions'), ...of()]],
  ['endpoint delete', () => [known.endpoint]],
  ['audience delete', () => [known.audience]],
  ['events counts', () => ['--measure', 'sum', '--of', 'total', ...of()]],
  ['events funnel', () => [FUNNEL, ...of()]],
  ['events query', () => ['--event', 'Paid', '--limit', '1', ...of()]],
  ['user show', () => ['ada', ...of()]],
  ['user memberships', () => ['ada', ...of()]],
  ['user find', () => ['a', ...of()]],
  ['user events', () => ['ada', '--limit', '1', ...of()]],
  ['user export', () => ['ada', ...of()]],
  ['pin set', () => ['Orders', 'events/Paid', ...of()]],
  ['pin list', () => [...of()]],
  ['pin delete', () => ['Orders', ...of()]],
  ['watch set', () => ['No orders', '{"event":"Paid"}', '{"none_for":30}', ...of()]],
  ['watch list', () => [...of()]],
  ['watch delete', () => ['No orders', ...of()]],
  ['note add', () => ['Sale begins', '--at', '2026-11-20', ...of()]],
  ['note list', () => [...of()]],
  ['note delete', () => [known.note, ...of()]],
  ['dead-letters list', () => []],
  ['dead-letters show', () => [known.letter]],
  ['dead-letters edit', () => [known.letter, '{"user_id":"bob"}', '--dry-run']],
  ['dead-letters replay', () => ['--all']],
  ['dead-letters drop', () => ['--all']],
  ['import', () => [join(service().dataDir, 'history.ndjson'), ...of()]],
  ['import', () => [join(service().dataDir, 'history.ndjson'), ...of(), '--dry-run']],
  ['verify', () => []],
  ['backup', () => [join(service().dataDir, 'backups')]],
  ['status', () => []],
  ['replay profiles', () => ['--dry-run']],
  ['replay profiles', () => ['--yes']],
  ['replay analytics', () => ['--dry-run']],
  ['replay status', () => []],
  ['replay rollback', () => ['profiles']],
  ['replay drop', () => ['profiles', '2']],
  ['forget user', () => ['ada', '--dry-run', ...of()]],
  ['forget user', () => ['ada', '--yes', ...of()]],
  ['forget events', () => ['--name', 'Paid', '--user-id', 'bob', ...of()]],
  ['forget events', () => ['--name', 'Paid', '--user-id', 'bob', '--count', '1', ...of()]],
  ['forget list', () => []],
  ['forget show', () => [known.erasure]],
  ['forget lift', () => [known.erasure]],
];

/** What a command prints of what it made. */
interface Made {
  readonly id?: string;
  readonly erasures?: readonly { readonly id: string }[];
}

/** The id of what a command made, for those that come. */
function remember(command: string, { id = '', erasures = [] }: Made): void {
  const name = { 'key create': 'key', 'audience save': 'audience', 'endpoint create': 'endpoint', 'note add': 'note' }[
    command
  ];
  if (name !== undefined) known[name as keyof typeof known] = id;
  if (command === 'forget user') known.erasure = erasures[0]?.id ?? '';
}

/** A line of JSON for each message, of many answers: tail.test.ts. */
const OF_MANY_ANSWERS = ['tail'];
/** Asks no service. */
const OF_NO_ANSWER = ['migrate', 'restore', 'log renew'];

test('--json prints what the service answers, in every command, digit for digit', { timeout: 300_000 }, async () => {
  await writeFile(join(service().dataDir, 'history.ndjson'), '{"type":"track","user_id":"bob","event":"Paid"}\n{}\n');
  await mkdir(join(service().dataDir, 'definitions'));
  await writeFile(join(service().dataDir, 'definitions/settings.json'), '{"rate_limit":7000}');
  const differences: string[] = [];
  for (const [command, words] of COMMANDS) {
    const { out, answers } = await run([...command.split(' '), ...words()]);
    const expected = expectedOf(command, words(), answers);
    if (comparable(out) !== comparable(expected)) {
      differences.push(`${command} ${words().join(' ')}: ${comparable(out)}\n instead of ${comparable(expected)}`);
    }
    const made = out.startsWith('{\n') || !out.includes('\n{') ? (JSON.parse(out) as Made) : {};
    remember(command, made);
  }

  expect(differences.join('\n')).toBe('');
  expect([...new Set(COMMANDS.map(([command]) => command)), ...OF_MANY_ANSWERS, ...OF_NO_ANSWER].sort()).toEqual(
    commandsWithJson(tidemark({ env: {}, out: () => undefined, err: () => undefined })).sort(),
  );
});

function commandsWithJson(command: Command, path = ''): string[] {
  const below = command.commands.flatMap((child) => commandsWithJson(child, `${path} ${child.name()}`.trim()));
  return command.options.some(({ long }) => long === '--json') ? [path, ...below] : below;
}

function expectedOf(command: string, words: readonly string[], answers: readonly Exchange[]): string {
  if (command === 'import') {
    const job =
      answers.findLast(({ path }) => /^\/v1\/admin\/imports(\/imp\w+|\/job\w+)?(\?|$)/.test(path))?.text ?? '';
    return resultIn(job);
  }
  if (command.startsWith('replay') && words.includes('--yes')) {
    // Two answers: of the build, and of the swap.
    const [built = '{}'] = answers.map(({ text }) => resultIn(text)).slice(-2);
    return `${built.slice(0, -1)},"swapped":true}`;
  }
  return resultIn(answers.at(-1)?.text ?? '');
}

/** That of a stream of progress is in its last line. */
function resultIn(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return last.startsWith('{"result":') ? last.slice('{"result":'.length, -1) : text;
}

function comparable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, keepDigits));
  } catch {
    return text;
  }
}

test('status without a key asks the socket of this machine, whatever the port of its service', async () => {
  const run = new CliRun(['status'], { env: { DATA_DIR: service().dataDir, PORT: '0' } });

  expect([0, 1]).toContain(await run.code);
  expect(run.out).toMatch(/^Tidemark \d+\.\d+\.\d+\S* on this machine, role all, is ready\.\n/);
});
