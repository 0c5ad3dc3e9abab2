import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyLines, ImportClient, IMPORTS, type ShownImport } from '../../../support/service/import-client.ts';
import { ADMIN_KEY, ServiceProcess } from '../../../support/service/service.ts';

let folder: string;
let dataDir: string;
let service: ServiceProcess;
const client = new ImportClient(() => service);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  dataDir = join(folder, 'data');
  service = await ServiceProcess.start(dataDir, { IMPORT_DIR: folder });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('imports over HTTP', { timeout: 120_000 }, () => {
  test('an uploaded CSV is shown, checked, imported, and then removed', async () => {
    const file = await client.upload('Email,Seite,Betrag\nada@x.org,/a,12.50\n,/b,3\n');
    const how = { type: 'track', map: { Email: 'user_id', Seite: 'event' }, types: true };

    const shown = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file, ...how });
    const dry = await client.end(await client.start({ file, ...how, dry_run: true }));
    const id = await client.start({ file, ...how });
    const real = await client.end(id);

    expect(shown.body).toMatchObject({
      format: 'csv',
      columns: [
        { name: 'Email', fills: 'user_id', free: false },
        { name: 'Seite', fills: 'event', free: false },
        { name: 'Betrag', fills: 'Betrag', free: true },
      ],
      rows: [
        { line: 2, cells: ['ada@x.org', '/a', '12.50'], problems: [] },
        { line: 3, cells: ['', '/b', '3'], problems: [{ path: '/user_id' }] },
      ],
      problem: null,
    });
    expect(dry).toMatchObject({ state: 'done', result: { accepted: 1, refused: 1, lines: 3 } });
    expect(real).toMatchObject({
      state: 'done',
      kind: 'import',
      args: { name: 'history.csv', file },
      result: { accepted: 1, refused: 1, lines: 3, resumed_at_line: 0 },
      progress: { unit: 'bytes', lines: 3, accepted: 1, refused: 1 },
    });
    await expect.poll(() => client.countOf('/a'), { timeout: 60_000 }).toBe(1);
    expect((await client.send('GET', `${IMPORTS}/files/${file}`)).status).toBe(404);
    expect((await client.send('GET', `${IMPORTS}/${id}/refused`)).body).toMatchObject({
      refused: [{ line: 3, errors: [{ path: '/user_id', message: expect.any(String) as string }], text: ',/b,3' }],
      next_cursor: null,
    });
  });

  test('a file is uploaded in parts, and a path on the machine of the service is imported where it is', async () => {
    const gzip = gzipSync(historyLines('Parted', 50));
    const file = await client.upload(gzip.subarray(0, 40), 'parted.ndjson.gz');
    const part = await client.send('PATCH', `${IMPORTS}/files/${file}?offset=40`, gzip.subarray(40));
    const path = join(folder, 'by-path.ndjson');
    await writeFile(path, historyLines('By path', 20));

    const [first, second] = [await client.start({ file }), await client.start({ path })];

    expect(part.body).toMatchObject({ bytes: gzip.length });
    expect((await client.end(first)).result).toMatchObject({ accepted: 50, refused: 0 });
    expect((await client.end(second)).result).toMatchObject({ accepted: 20, refused: 0 });
    expect(existsSync(path)).toBe(true);
    await expect.poll(() => client.countOf('Parted'), { timeout: 60_000 }).toBe(50);
  });

  test('an upload takes no Idempotency-Key, which would not tell one file from another', async () => {
    const file = await client.upload('a\n');
    const send = (method: string, path: string, body: string) =>
      fetch(service.url + path, { method, headers: { api_key: ADMIN_KEY, 'idempotency-key': 'one' }, body });

    const first = await send('POST', `${IMPORTS}/files`, 'one file');
    const other = await send('POST', `${IMPORTS}/files`, 'another file');
    const part = await send('PATCH', `${IMPORTS}/files/${file}`, 'more of it');

    expect([first.status, other.status, part.status]).toEqual([400, 400, 400]);
    expect(await first.json()).toMatchObject({ code: 'invalid-parameter' });
    expect((await client.send('GET', `${IMPORTS}/files/${file}`)).body).toMatchObject({ bytes: 2 });
  });

  test('an import that was stopped is resumed behind its last line, and every line counts once', async () => {
    const file = await client.upload(historyLines('Stopped', 10_000), 'stopped.ndjson');
    const id = await client.start({ file, rate: 1_000 });
    await client.untilLines(id, 500);

    expect((await client.send('DELETE', `/v1/admin/jobs/${id}`)).status).toBe(200);
    const stopped = await client.end(id);
    const resumed = await client.send('POST', `${IMPORTS}/${id}/resume`);
    const done = await client.end(id);

    expect(stopped).toMatchObject({ state: 'cancelled', result: null });
    expect([resumed.status, resumed.body.id]).toEqual([202, id]);
    expect(done).toMatchObject({ state: 'done', result: { accepted: 10_000, refused: 0, lines: 10_000 } });
    expect((done.result as { resumed_at_line: number }).resumed_at_line).toBeGreaterThanOrEqual(500);
    await expect.poll(() => client.countOf('Stopped'), { timeout: 60_000 }).toBe(10_000);
  });

  test('an import whose process was killed is resumed, and every line counts once', async () => {
    const file = await client.upload(historyLines('Killed', 10_000), 'killed.ndjson');
    const id = await client.start({ file, rate: 1_000 });
    await client.untilLines(id, 1_500);

    await service.stop('SIGKILL');
    service = await ServiceProcess.start(dataDir);
    const interrupted = await client.send('GET', `${IMPORTS}/${id}`);
    await client.send('POST', `${IMPORTS}/${id}/resume`);
    const done = await client.end(id);

    expect(interrupted.body).toMatchObject({ state: 'interrupted', problem: { error_code: 'STOPPING' } });
    expect(done).toMatchObject({ state: 'done', result: { accepted: 10_000, refused: 0, lines: 10_000 } });
    expect((done.result as { resumed_at_line: number }).resumed_at_line).toBeGreaterThan(0);
    await expect.poll(() => client.countOf('Killed'), { timeout: 60_000 }).toBe(10_000);
  });

  test('refused lines are read in pages, cut where they are long, or all of them as they are', async () => {
    const long = `{"type":"track","event":"x","pad":"${'p'.repeat(2_000)}"}\n`;
    const id = await client.start({ file: await client.upload(`{}\n${long}{}\nno\n`) });
    await client.end(id);

    const first = await client.send('GET', `${IMPORTS}/${id}/refused?limit=3`);
    const cursor = String(first.body['next_cursor']);
    const second = await client.send('GET', `${IMPORTS}/${id}/refused?limit=3&cursor=${cursor}`);
    const whole = await fetch(`${service.url}${IMPORTS}/${id}/refused`, {
      headers: { api_key: ADMIN_KEY, accept: 'application/x-ndjson' },
    });

    expect(first.body['refused']).toMatchObject([{ line: 1, cut: false }, { line: 2, cut: true }, { line: 3 }]);
    expect((first.body['refused'] as { text: string }[])[1]?.text).toHaveLength(1_000);
    expect(second.body).toMatchObject({ refused: [{ line: 4, text: 'no' }], next_cursor: null });
    expect(whole.headers.get('content-type')).toBe('application/x-ndjson');
    expect((await whole.text()).split('\n').map((line) => line.length)).toMatchObject([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      0,
    ]);
  });

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('the beginning of a large file of %s is shown', async (_what, pack) => {
    // Ids do not pack well: what is packed is several chunks too.
    const lines = Array.from({ length: 20_000 }, () => `{"type":"track","user_id":"${randomUUID()}","event":"Seen"}\n`);
    const file = await client.upload(pack(Buffer.from(lines.join(''))), 'history.ndjson.packed');

    const { status, body } = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file });

    expect([status, body['format'], body['problem']]).toEqual([200, 'ndjson', null]);
    expect(body['rows']).toHaveLength(20);
  });

  test('a column of events that the project has is taken for the event', async () => {
    const rows = ['customer,kind,on', 'ada,Parcel Sent,2026-10-01', 'bob,Parcel Sent,2026-10-02\n'].join('\n');
    const file = await client.upload(rows);
    const map = { customer: 'user_id', kind: 'event', on: 'timestamp' };
    await client.end(await client.start({ file: await client.upload(rows), type: 'track', map }));

    const guessed = async () => {
      const { body } = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file });
      return body['guess'];
    };

    // What the catalog knows is kept for half a minute.
    await expect.poll(guessed, { timeout: 90_000, interval: 1_000 }).toMatchObject({ type: 'track', map });
  });

  test('a mapping that cannot be used is shown with the columns, and a file that cannot be read is refused', async () => {
    const file = await client.upload('a,b\n1,2\n');
    const wrong = { project: 'default', file, type: 'track', map: { c: 'user_id' } };

    expect((await client.send('POST', `${IMPORTS}/preview`, wrong)).body).toMatchObject({
      columns: [{ name: 'a' }, { name: 'b' }],
      rows: [{ cells: ['1', '2'], problems: [] }],
      problem: expect.stringContaining('there is no column "c"') as string,
    });
    const array = await client.upload('[{"type":"track"}]');
    expect(await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file: array })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid-body',
        errors: [{ path: '/file', message: expect.stringContaining('JSON array') as string }],
      },
    });
  });

  test.each([
    { what: 'no file', body: { project: 'default' }, path: '' },
    { what: 'two files', body: { project: 'default', file: `file_${'0'.repeat(20)}`, path: '/x' }, path: '' },
    { what: 'a file that is not there', body: { project: 'default', file: `file_${'0'.repeat(20)}` }, path: '/file' },
    { what: 'a file that is not an id', body: { project: 'default', file: '../x' }, path: '/file' },
    { what: 'a path that is not there', body: { project: 'default', path: '/nowhere/at/all' }, path: '/path' },
    { what: 'a folder', body: { project: 'default', path: '/' }, path: '/path' },
    { what: 'a device', body: { project: 'default', path: '/dev/zero' }, path: '/path' },
    { what: 'a path that is relative', body: { project: 'default', path: 'x.csv' }, path: '/path' },
    { what: 'no project', body: { path: '/x' }, path: '/project' },
    { what: 'a type that does not exist', body: { project: 'default', path: '/x', type: 'page' }, path: '/type' },
    { what: 'a format that does not exist', body: { project: 'default', path: '/x', format: 'xml' }, path: '/format' },
    { what: 'two characters', body: { project: 'default', path: '/x', delimiter: ';;' }, path: '/delimiter' },
    { what: 'a mapping that is none', body: { project: 'default', path: '/x', map: { a: 1 } }, path: '/map/a' },
    {
      what: 'columns that are not a list',
      body: { project: 'default', path: '/x', json_columns: 'a' },
      path: '/json_columns',
    },
    { what: 'types that are not a boolean', body: { project: 'default', path: '/x', types: 'yes' }, path: '/types' },
    { what: 'a rate that is not positive', body: { project: 'default', path: '/x', rate: 0 }, path: '/rate' },
    { what: 'an id that is empty', body: { project: 'default', path: '/x', import_id: '' }, path: '/import_id' },
    { what: 'a dry run that is not a boolean', body: { project: 'default', path: '/x', dry_run: 1 }, path: '/dry_run' },
    { what: 'a report, from afar', body: { project: 'default', path: '/x', report: '/etc/passwd' }, path: '/report' },
  ])('an import with $what is refused at its place', async ({ body, path }) => {
    const answer = await client.send('POST', IMPORTS, body);

    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid-body']);
    expect((answer.body['errors'] as { path: string }[]).map((error) => error.path)).toContain(path);
  });

  test('an unknown project, an unknown import, and one that is complete are refused', async () => {
    const file = await client.upload(historyLines('Refused', 1));
    const id = await client.start({ file });
    await client.end(id);
    const { body: verification } = await client.send('POST', '/v1/admin/verifications', {});

    expect(await client.send('POST', IMPORTS, { project: 'nobody', file: await client.upload('{}\n') })).toMatchObject({
      status: 404,
      body: { error_code: 'PROJECT_UNKNOWN' },
    });
    for (const path of [`${IMPORTS}/none`, `${IMPORTS}/none/refused`, `${IMPORTS}/${verification.id}`])
      expect((await client.send('GET', path)).status, path).toBe(404);
    expect((await client.send('POST', `${IMPORTS}/none/resume`)).status).toBe(404);
    expect(await client.send('POST', `${IMPORTS}/${id}/resume`)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await client.send('GET', `${IMPORTS}/${id}/refused?cursor=none`)).body['detail']).toContain('cursor');
  });

  test('a resume is refused while the import runs, and where its file has gone', async () => {
    const file = await client.upload(historyLines('Gone', 30_000));
    const id = await client.start({ file, rate: 500 });
    await client.untilLines(id, 1);

    expect((await client.send('POST', `${IMPORTS}/${id}/resume`)).body['detail']).toContain('under way');
    await client.send('DELETE', `/v1/admin/jobs/${id}`);
    await client.end(id);
    expect((await client.send('DELETE', `${IMPORTS}/files/${file}`)).status).toBe(200);

    expect(await client.send('POST', `${IMPORTS}/${id}/resume`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('Upload it again') as string },
    });
    expect((await readdir(join(dataDir, 'imports'))).includes(file)).toBe(false);
  });

  test('one import runs after the other, and says that it waits', async () => {
    const first = await client.start({ file: await client.upload(historyLines('First', 30_000)), rate: 500 });
    await client.untilLines(first, 1);
    const second = await client.start({ file: await client.upload(historyLines('Second', 5)) });

    await expect
      .poll(async () => (await client.send('GET', `${IMPORTS}/${second}`)).body.progress, { timeout: 30_000 })
      .toMatchObject({ waiting: 'for the imports before it' });
    await client.send('DELETE', `/v1/admin/jobs/${first}`);

    expect((await client.end(second)).result).toMatchObject({ accepted: 5 });
    const { body } = await client.send('GET', `${IMPORTS}?limit=2`);
    expect((body['imports'] as ShownImport[]).map(({ id }) => id)).toEqual([second, first]);
  });

  test('who did it is in the audit log', async () => {
    const { body } = await client.send('GET', '/v1/admin/audit?limit=1000');
    const actions = (body['entries'] as { action: string }[]).map(({ action }) => action);

    for (const action of ['import.upload', 'import.start', 'import.resume', 'import.file.delete', 'job.cancel'])
      expect(actions).toContain(action);
  });
});
