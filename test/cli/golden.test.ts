/**
 * What commands print at an embedded service, kept as text: those of docs/command-line.md and one of each other kind. After a
 * change on purpose: `npx vitest run test/cli/golden.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { ADMIN_KEY } from '../support/service/service.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService((dataDir) => ({
  ...withOwnLog(dataDir),
  BACKUP_EVERY: 'off',
  VERIFY_EVERY: 'off',
  WEBHOOK_ALLOW: '127.0.0.1',
}));
let folder: string;
/** A day of the last month, for questions about a month. */
const DAY = new Date(Date.now() - 8 * 86_400_000).toISOString().slice(0, 10);

/** Ids that commands print, for those after them. */
const known: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  await writeFile(join(folder, 'new-definition.json'), '{"trait":"plan","exists":true}');
  const track = (user: string, total: number) => ({
    type: 'track',
    user_id: user,
    event: 'Order Completed',
    properties: { total },
    timestamp: `${DAY}T10:00:${total}Z`,
  });
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { name: 'Ada Lovelace', plan: 'pro' } },
    { type: 'identify', user_id: 'bob', traits: { name: 'Bob', plan: 'free' } },
    track('ada', 12),
    track('ada', 20),
    track('bob', 30),
  ];
  const { receipt } = (await (await service().request('/v1/batch', { batch })).json()) as { receipt: string };
  await eventually(async () => {
    const state = await service().request(`/v1/receipts/${receipt}?wait=10`);
    expect(await state.json()).toMatchObject({ queryable: true });
  });
  const { projects } = await answerTo<{ projects: { id: string }[] }>('/v1/admin/projects');
  const [{ id: projectId }] = projects as [{ id: string }];
  // Postgres has no text with a NUL, and no message that came by HTTP has one.
  const record = recordOf(identify({ projectId, userId: 'eve\0', traits: '{}' }));
  await appendToOwnLog(service().dataDir, [{ topic: 'tidemark.identify', ...record }]);
  await eventually(async () => {
    const { dead_letters: letters } = await answerTo<{ dead_letters: { id: string }[] }>('/v1/admin/dead-letters');
    known['letter'] = letters[0]?.id ?? '';
    expect(letters).toHaveLength(1);
  });
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function answerTo<T>(path: string): Promise<T> {
  return (await (await service().request(path, undefined, { api_key: ADMIN_KEY })).json()) as T;
}

/** In an order in which they can be run. `$end` is the id that a command before has printed. */
const COMMANDS = `
  audience save Pro '{"trait":"plan","is":"pro"}' --note why --tags email,spring
  audience evaluate $aud
  audience list
  audience list --tag email
  audience list --tag nothing
  audience show $aud
  audience preview '{"trait":"plan","is":"pro"}' --sample 1
  audience members $aud
  audience members $aud --format csv --traits plan
  audience changes $aud
  audience history $aud
  audience explain '{"trait":"plan","is":"pro"}'
  audience why '{"event":"Order Completed"}' --user ada --events 1
  audience compare '{"trait":"plan","is":"pro"}' '{"trait":"plan","is":"free"}' --sample 1
  audience change $aud --name Pros --refresh none --tags ""
  audience change $aud --definition '{"trait":"plan","in":["pro","free"]}'
  audience evaluate $aud
  audience history $aud
  audience versions $aud
  audience changes $aud --wait --format csv
  audience show aud_00000000000000000000
  audience history aud_00000000000000000000
  audience changes aud_00000000000000000000
  audience preview '{"trait":'
  audience show
  audience show A B C
  audience history $aud --limit 0
  endpoint create http://127.0.0.1:1/ --audience $aud --traits email --batch-size 7 --initial none
  endpoint create http://127.0.0.1:1/ --initial some
  endpoint change $end --batch-size 8 --all-audiences --without-traits --disable
  endpoint change $end --enable --disable
  endpoint change $end --all-audiences --audience $aud
  endpoint show $end
  endpoint rotate $end --keep-old 0
  endpoint rotate $end --keep-old 999
  endpoint list --installation
  endpoint list
  endpoint show end_00000000000000000000
  endpoint resend $end --since 2026-11-20 --delivery msg_1
  endpoint resend $end --since 2026-11-20
DOCS
  endpoint delete $end
  audience delete $aud
  project create Second --timezone Europe/Berlin --rate-limit 7
  project set Second --rate-limit none --search-traits name,email --query-max-ms 1000
  project set Second --query-max-ms 600001
  project set Second --rate-limit 0
  project list
  project delete Second
  project delete Second --dry-run
  project delete Second --confirm Second
  key create --scope read --scope audiences --name Jobs
  key create --scope admin
  key create --scope admin --scope read
  key create --scope owner
  key list
  key revoke $key
  key revoke key_none
  dead-letters list
  dead-letters list --state any --limit 1 --reader projector
  dead-letters show $letter --record
  dead-letters edit $letter '{"user_id":"eve"}' --dry-run
  dead-letters replay
  dead-letters replay --all --dry-run
  dead-letters drop $letter
  dead-letters drop tidemark.track/0/999
  dead-letters list
  dead-letters list --limit 0
  replay status
  replay profiles --dry-run
  replay profiles --yes
  replay rollback profiles
  replay drop profiles 2
  replay drop users 2
  user show nobody
  user find lovelace --limit 0
  user events ada --limit 1
  events counts '{"mesure":"count"}'
  events counts '{"measure"'
  events counts --measure users
  events query --event "Order Completed" --limit 2
  events counts --event "Order Completed" --measure users --last 3650d --compare
  verify --since all --until 2026-11-21
  forget user bob --dry-run
  forget user bob
  forget user bob --yes --no-suppress
  forget list
  forget list --state nothing
  forget show $erasure
  forget lift $erasure
`;

/** Those of the page, with ids that there are and files of our own. */
function commandsOfThePage(): string[] {
  const blocks = [...readFileSync('docs/command-line.md', 'utf8').matchAll(/^```sh\n(.*?)^```/gms)];
  const lines = blocks.flatMap(([, block = '']) => block.split('\n'));
  return lines.flatMap((line) => /\.\/tidemark ([^)#|>]*[^)#|> ])/.exec(line)?.[1] ?? []);
}

test('every command prints what is kept, for the commands of the page and others', { timeout: 600_000 }, async () => {
  const lines = COMMANDS.trim()
    .split('\n')
    .flatMap((line) => (line === 'DOCS' ? commandsOfThePage() : line.trim()));
  const printed: string[] = [];
  for (const line of lines) {
    printed.push(`$ tidemark ${line}\n${await runLine(line)}`);
  }

  await expect(printed.join('\n')).toMatchFileSnapshot('golden/commands.txt');
});

/** Their figures are those of the moment; without an end they are interrupted. */
const EXIT_CODE_ALONE = ['status', 'completion', '--version', 'backup', 'restore', 'log', 'forget show'];
const ENDLESS = /^tail|--wait$/;

async function runLine(line: string): Promise<string> {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const run = new CliRun(words.map(valueOf), { env: { DATA_DIR: service().dataDir } });
  if (ENDLESS.test(line)) {
    await run.until(({ out, err }) => out + err !== '');
    run.interrupt();
  }
  const code = await run.code;
  const [, id = '', kind = ''] = /\b((aud|end|key|erasure)_\w{20})/.exec(run.out + run.err) ?? [];
  if (/^\w+ (?:save|create|user)\b/.test(line)) known[kind] ??= id;
  if (EXIT_CODE_ALONE.some((start) => line.startsWith(start))) return `exit ${code}\n`;
  const err = run.err.replaceAll(/^(?=.)/gm, '! ');
  return lasting(`${run.out}${err}${code === 0 ? '' : `exit ${code}\n`}`);
}

function valueOf(word: string): string {
  const text = word.replaceAll(/^["']|["']$/g, '').replace(/\$(\w+)/, (_, name: string) => known[name] ?? '');
  if (text === 'new-definition.json' || text === 'ada.ndjson') return join(folder, text);
  return text
    .replace('/backups/tidemark', join(folder, 'backups'))
    .replace(/aud_0123456789abcdefghij/, known['aud'] ?? '')
    .replace(/end_0123456789abcdefghij/, known['end'] ?? '');
}

/** Without what differs from run to run. */
function lasting(text: string): string {
  return text
    .replaceAll(service().dataDir, 'DATA')
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/\b(proj|key|aud|end|msg|erasure|job|whsec|tm_\w)_[\w+/=-]{15,}/g, '$1_ID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HEX')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?/g, (time) =>
      time.startsWith(DAY) || time.startsWith('2026-11-20T') ? 'DAY' : 'TIME',
    )
    .replaceAll(/\btidemark\.identify\/\d+\/\d+/g, 'tidemark.identify/P/O')
    .replaceAll(/"(took_ms|rows_read)":( ?)[\d.]+/g, '"$1":$2N')
    .replaceAll(/(?<=about |^at |ClickHouse: |- {2,})\d+(?= a second| rows| MB|\. | +connect)/gm, 'N')
    .replaceAll(/^SELECT .*;$/gm, 'SELECT …;')
    .replaceAll(/(?<=\S) {2,}(?=\S)/g, '  ')
    .replaceAll(/^(.*\n)\1+/gm, '$1…\n');
}
