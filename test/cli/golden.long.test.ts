/**
 * What commands print at an embedded service, kept as text: those of docs/command-line.md and one of each other kind. A line
 * `$ tidemark …` in golden/commands.txt is another; `npx vitest run test/cli/golden.long.test.ts --update` writes it anew.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { ADMIN_KEY } from '../support/service/service.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService((dataDir) => ({
  ...withOwnLog(dataDir),
  BACKUP_EVERY: 'off',
  VERIFY_EVERY: 'off',
  WEBHOOK_ALLOW: '127.0.0.1',
}));
let folder: string;
/** A day of the last month, for questions about a month. */
const LATELY = new Date(Date.now() - 8 * 86_400_000).toISOString().slice(0, 10);

/** Ids that commands print, for those after them. */
const known: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  await writeFile(join(folder, 'new-definition.json'), '{"trait":"plan","exists":true}');
  await writeFile(
    join(folder, 'question.json'),
    '{"event":"Nothing","measure":"count","where":[{"property":"n","exists":false}]}',
  );
  const track = (user: string, total: number) => ({
    type: 'track',
    user_id: user,
    event: 'Order Completed',
    properties: { total },
    timestamp: `${LATELY}T10:00:${total}Z`,
  });
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { name: 'Ada Lovelace', plan: 'pro' } },
    { type: 'identify', user_id: 'bob', traits: { name: 'Bob', plan: 'free' } },
    track('ada', 12),
    track('ada', 20),
    track('bob', 30),
  ];
  await recordedIn(service(), '/v1/batch', { batch });
  const { projects } = await answerTo<{ projects: [{ id: string }] }>('/v1/admin/projects');
  // Postgres has no text with a NUL, and no message that came by HTTP has one.
  const record = recordOf(identify({ projectId: projects[0].id, userId: 'eve\0', traits: '{}' }));
  await appendToOwnLog(service().dataDir, [{ topic: 'tidemark.identify', ...record }]);
  await eventually(async () => {
    const { dead_letters: letters } = await answerTo<{ dead_letters: { id: string }[] }>('/v1/admin/dead-letters');
    known['letter'] = letters[0]?.id ?? '';
    expect(letters).toHaveLength(1);
  });
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

function answerTo<T>(path: string): Promise<T> {
  return service().ask(path, undefined, { key: ADMIN_KEY });
}

const KEPT = 'golden/commands.txt';

/** The commands of the file, in an order in which they can be run. `$end` is the id that a command before has printed. */
function keptCommands(): string[] {
  const text = readFileSync(new URL(KEPT, import.meta.url), 'utf8');
  return [...text.matchAll(/^\$ tidemark (.*)$/gm)].map(([, line = '']) => line);
}

function commandsOfThePage(): string[] {
  const blocks = [...readFileSync('docs/command-line.md', 'utf8').matchAll(/^```sh\n(.*?)^```/gms)];
  const lines = blocks.flatMap(([, block = '']) => block.split('\n'));
  return lines.flatMap((line) => /\.\/tidemark ([^)#|>]*[^)#|> ])/.exec(line)?.[1] ?? []);
}

test('every command of the page is among those that are kept', () => {
  expect(commandsOfThePage().length).toBeGreaterThan(20);
  expect(keptCommands()).toEqual(expect.arrayContaining(commandsOfThePage()));
});

test('every command prints what is kept', { timeout: 600_000 }, async () => {
  const printed: string[] = [];
  for (const line of keptCommands()) printed.push(`$ tidemark ${line}\n${await runLine(line)}`);

  // One by one first: the difference of the whole is cut off.
  const kept = readFileSync(new URL(KEPT, import.meta.url), 'utf8').split(/\n(?=\$ tidemark )/);
  for (const [at, text] of printed.entries()) expect.soft(text.trim()).toBe((kept[at] ?? '').trim());
  await expect(printed.join('\n')).toMatchFileSnapshot(KEPT);
});

/** Their figures are those of the moment; without an end they are interrupted. */
const EXIT_CODE_ALONE = ['status', 'completion', '--version', 'backup', 'restore', 'migrate', 'log', 'forget show'];
const ENDLESS = /^tail|--wait$/;

async function runLine(line: string): Promise<string> {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  // The terminal is for progress: without one a slow command prints it.
  const context = { env: { DATA_DIR: service().dataDir }, terminal: new PassThrough() };
  const run = new CliRun(words.map(typedWord), context);
  if (ENDLESS.test(line)) {
    // Changes end with how far they reach: what comes before is there then.
    await run.until(({ out, err }) => err !== '' || out.includes('"through"'));
    run.interrupt();
  }
  const code = await run.code;
  const [, id = '', kind = ''] = /\b((aud|end|key|erasure)_\w{20})/.exec(run.out + run.err) ?? [];
  if (/^\w+ (?:save|create|user)\b/.test(line)) known[kind] ??= id;
  if (EXIT_CODE_ALONE.some((start) => line.startsWith(start))) return `exit ${code}\n`;
  const err = run.err.replaceAll(/^(?=.)/gm, '! ');
  return lasting(`${run.out}${err}${code === 0 ? '' : `exit ${code}\n`}`);
}

function typedWord(word: string): string {
  const text = word.replaceAll(/^["']|["']$/g, '').replace(/\$(\w+)/, (_, name: string) => known[name] ?? '');
  if (/^[\w-]+\.(?:nd)?json$/.test(text)) return join(folder, text);
  return text
    .replace('/backups/tidemark', join(folder, 'backups'))
    .replace(/^definitions\/$/, join(folder, 'definitions'))
    .replace(/aud_0123456789abcdefghij/, known['aud'] ?? '')
    .replace(/end_0123456789abcdefghij/, known['end'] ?? '');
}

/** Without what differs from run to run, as the order of a sample, and of keys that were made in one millisecond. */
function lasting(text: string): string {
  return (
    text
      .replaceAll(service().dataDir, 'DATA')
      .replaceAll(folder, 'FOLDER')
      .replaceAll(/\b(proj|key|aud|end|msg|erasure|job|whsec|tm_\w)_[\w+/=-]{15,}/g, '$1_ID')
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'HEX')
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
      .replaceAll(/\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?/g, (time) =>
        time.startsWith(LATELY) || time.startsWith('2026-11-20T') ? 'DAY' : 'TIME',
      )
      .replaceAll(/\btidemark\.identify\/\d+\/\d+/g, 'tidemark.identify/P/O')
      .replaceAll(/"(took_ms|rows_read)":( ?)[\d.]+/g, '"$1":$2N')
      .replaceAll(/(?<=about |^at |ClickHouse: |- {2,})\d+(?= a second| rows| MB|\. | +connect)/gm, 'N')
      .replaceAll(/^SELECT .*;$/gm, 'SELECT …;')
      .replaceAll('bob ada', 'ada bob')
      .replaceAll(/(?:^key_ID .*\(first start\).*\n)+/gm, (keys) => keys.match(/.+\n/g)!.sort().toReversed().join(''))
      .replaceAll(/(?<=\S) {2,}(?=\S)/g, '  ')
      // The day on which a key was used last is a few seconds late.
      .replaceAll(/(\(first start\) {2}TIME {2})(?:TIME|-)/g, '$1USED')
      .replaceAll(/^(.*\n)\1+/gm, '$1…\n')
  );
}
