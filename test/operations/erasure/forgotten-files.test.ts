/** Every file of an embedded installation is searched for a person who was forgotten. */
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { importsFolderOf, uploadPath } from '../../../services/operations/import/import-request.ts';
import { certificateHash } from '../../../services/operations/erasure/certificate.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { searchFiles } from '../../support/search-files.ts';
import { openEmbedded, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { MessageMaker } from '../../support/stores/analytics.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const PERSON = 'ada-of-the-files';

async function opened() {
  const folder = await temporaryFolder();
  const installation = await openEmbedded(folder);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await installation.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { folder, installation, close, scene: new ForgettingScene(() => installation, folder) };
}

/** Others, of whom there is more than a page of each table. */
async function others(installation: WholeInstallation, shop: MessageMaker): Promise<void> {
  const messages = Array.from({ length: 600 }, (_, index) =>
    index % 2 === 0
      ? shop.identify({ userId: `u${index}`, traits: `{"email":"u${index}@example.com","city":"${index}"}` })
      : shop.track({ userId: `u${index}`, anonymousId: `a-${index}`, properties: `{"note":"${index}"}` }),
  );
  await installation.append(messages);
  await installation.readAll();
}

test('no file of a data folder has the id, the email and the marked value of a person, and others are whole', async () => {
  const { folder, installation, close, scene } = await opened();
  const { database } = installation;
  const shop = await scene.projectWithPeople('Every file', PERSON);
  await others(installation, shop);
  await scene.evaluate(shop.projectId, 1_700_000_000_000_000n);
  // The statistics of the planner have values of rows, and a segment of the write-ahead log is kept to be written again.
  await database.query('analyze');
  await database.query('checkpoint');
  const wanted = { id: PERSON, mark: scene.mark, email: scene.email };
  const before = await searchFiles(folder, wanted);
  for (const part of ['event-log', 'profiles/cluster/base', 'profiles/cluster/pg_wal', 'analytics/store'])
    expect(
      before.map(({ file }) => file).filter((file) => file.startsWith(join(folder, part))),
      part,
    ).not.toEqual([]);
  const ben = await scene.rowsOf(shop.projectId, 'ben');

  await scene.request(shop.projectId, [PERSON]);
  await scene.forget();

  expect(await searchFiles(folder, wanted)).toEqual([]);
  expect(await scene.rowsOf(shop.projectId, 'ben')).toEqual(ben);
  const sql = 'select count(*)::int4 as n from users where project_id = $1';
  expect(await database.query(sql, [shop.projectId])).toEqual([{ n: 601 }]);
  const [erasure] = await new SqlErasures(database).list({}, 1);
  const { remains } = JSON.parse(erasure?.report ?? '{}') as { readonly remains: readonly { readonly what: string }[] };
  expect(remains.map(({ what }) => what).join()).not.toMatch(/Postgres|ClickHouse|uploaded|log/u);
  await close();
  expect(await searchFiles(folder, wanted)).toEqual([]);
});

test('what was uploaded to be imported with a person is deleted, and refused lines lose the person', async () => {
  const { folder, installation, scene } = await opened();
  const shop = await scene.projectWithPeople('Imports', PERSON);
  const imports = importsFolderOf(folder);
  const upload = async (id: string, content: Buffer | string): Promise<string> => {
    const path = uploadPath(imports, `file_${id.repeat(20)}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  const csv = `user_id,type,event\nu1,track,Bought\n${PERSON},track,Bought\n`;
  await upload('a', csv);
  await upload('b', gzipSync(`${`{"user_id":"u"}\n`.repeat(9_000)}{"user_id":"${PERSON}"}\n`));
  await upload('c', Buffer.from(csv, 'utf16le'));
  const longer = await upload('d', csv.replace(PERSON, `${PERSON}-and-more`));
  const used = await upload('e', csv);
  await installation.database.query(
    `insert into jobs (id, kind, args, principal, state, claim, created_at_ms, claimed_until_ms)
     values ('job_1', 'import', $1, 'local', 'running', 'p', 0, 1000000000000000)`,
    [JSON.stringify({ file: `file_${'e'.repeat(20)}` })],
  );
  const report = join(imports, 'import_1', 'refused.ndjson');
  await mkdir(dirname(report), { recursive: true });
  const lineOf = (line: number, id: string) =>
    `${JSON.stringify({ line, errors: [{ path: '/type', message: 'is missing' }], text: `{"user_id":"${id}","note":"ü"}` })}\n`;
  const lines = [lineOf(1, 'u1'), lineOf(2, PERSON), lineOf(3, 'u3')];
  await writeFile(report, lines.join(''));

  await scene.request(shop.projectId, [PERSON]);
  await scene.forget();

  const left = await searchFiles(imports, { id: PERSON });
  expect(left.map(({ file }) => file).toSorted()).toEqual([longer, used].toSorted());
  const kept = await readFile(report, 'utf8');
  expect(Buffer.byteLength(kept)).toBe(Buffer.byteLength(lines.join('')));
  const [first, second, third] = kept.split('\n');
  expect([`${first}\n`, `${third}\n`]).toEqual([lines[0], lines[2]]);
  expect(JSON.parse(second ?? '')).toEqual({ line: 2, errors: [], text: '' });
  const [erasure] = await new SqlErasures(installation.database).list({}, 1);
  expect(erasure?.names).toEqual([]);
  const certificate = JSON.parse(erasure?.report ?? '{}') as object;
  expect(certificate).toMatchObject({ imports: { uploads: 3, lines: 1 } });
  expect(JSON.stringify(certificate)).toContain('uploaded files that an import reads which is not done');
});

test('an upload, a refused line and a refused request are found however another program spelled the id', async () => {
  const { folder, installation, scene } = await opened();
  const { database } = installation;
  const people = ['Zo\u00eb-zq1', 'team/ada-zq2', 'O"Neil-zq3', 'dom\\ada-zq4', '123456', '\u0410\u0434\u0430-zq5'];
  const shop = await scene.projectWithPeople('Spellings', PERSON);
  await installation.append(people.map((userId) => shop.track({ userId })));
  await installation.append([shop.track({ userId: null, anonymousId: 'dev-zq6' }), shop.track({ userId: 'ben' })]);
  await installation.append([shop.track({ userId: people[0] ?? '', anonymousId: 'dev-zq7' })]);
  await installation.readAll();
  const imports = importsFolderOf(folder);
  const uploads = spellings(people);
  for (const [index, content] of [...uploads, 'user_id\nben\n', gzipSync('user_id\nben\n')].entries()) {
    const path = uploadPath(imports, `file_${index.toString(16).padStart(20, '0')}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  const damaged = uploadPath(imports, `file_${'f'.repeat(20)}`);
  await mkdir(dirname(damaged), { recursive: true });
  await writeFile(damaged, gzipSync('user_id\nben\n'.repeat(9)).fill(7, 12, 20));
  await utimes(damaged, 0, 0);
  const report = join(imports, 'import_1', 'refused.ndjson');
  await mkdir(dirname(report), { recursive: true });
  const lines = [...uploads.filter((each) => typeof each === 'string'), '{"user_id":"ben"}'];
  await writeFile(report, lines.map((text, line) => `${JSON.stringify({ line, errors: [], text })}\n`).join(''));
  for (const [index, example] of lines.filter((each) => each.startsWith('{')).entries())
    await database.query(`insert into refusals values ($1, '', $2, 'c', '', 1, 1, 0, 0, 'no', $3)`, [
      shop.projectId,
      `/${index}`,
      example,
    ]);

  await scene.request(shop.projectId, people);
  await scene.forget();

  const left = await readdir(imports);
  expect(left.toSorted()).toEqual(
    ['import_1', ...[0, 1].map((at) => `file_${(uploads.length + at).toString(16).padStart(20, '0')}`)].toSorted(),
  );
  const kept = (await readFile(report, 'utf8')).trimEnd().split('\n');
  expect(kept.map((line) => (JSON.parse(line) as { readonly text: string }).text).filter(Boolean)).toEqual([
    '{"user_id":"ben"}',
  ]);
  const examples = await database.query(
    `select example from refusals where project_id = $1 and path <> '/v1/track' and example is not null`,
    [shop.projectId],
  );
  expect(examples).toEqual([{ example: '{"user_id":"ben"}' }]);
});

/** Files that name one of these people, or a device of the first. */
function spellings([zoe = '', team = '', neil = '', login = '', number = '', ada = '']: readonly string[]) {
  return [
    `{"user_id":"${zoe.replace('\u00eb', '\\u00eb')}"}`,
    `{"user_id":"${team.replace('/', '\\/')}"}`,
    `user_id,n\n"${neil.replace('"', '""')}",1\n`,
    `{"user_id":${JSON.stringify(neil)}}`,
    `{"user_id":${JSON.stringify(login)}}`,
    `{"user_id":${number},"n":1}`,
    '{"distinct_id":"$device:dev-zq7"}',
    Buffer.from(`user_id;n\n${zoe};1\n`, 'latin1'),
    Buffer.from(`\ufeffuser_id;n\n${ada};1\n`, 'utf16le'),
    Buffer.from(`user_id;n\n${ada};1\n`, 'utf16le'),
    gzipSync(`{"user_id":"${zoe.replace('\u00eb', '\\u00EB')}"}`),
  ];
}

test('the audit log has the hash of each certificate, which a changed one does not have', async () => {
  const { installation, scene } = await opened();
  const { database } = installation;
  const shop = await scene.projectWithPeople('Certified', PERSON);
  await scene.request(shop.projectId, [PERSON]);
  await scene.forget();

  const entries = await new SqlAuditLog(database).list({ action: 'user.forgotten' }, 10);

  const erasures = await new SqlErasures(database).list({}, 10);
  expect(new Set(entries.map(({ object }) => object))).toEqual(new Set(erasures.map(({ id }) => id)));
  for (const { object, projectId, after } of entries) {
    const report = erasures.find(({ id }) => id === object)?.report ?? '';
    expect(projectId).toBe(shop.projectId);
    expect(JSON.parse(after ?? '')).toEqual({ report_sha256: certificateHash(report) });
    expect(certificateHash(report.replace('"found_at_end":{"postgres":0', '"found_at_end":{"postgres":1'))).not.toBe(
      certificateHash(report),
    );
  }
});
