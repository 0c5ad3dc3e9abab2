import { appendFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Given, importScene, trackLine, trackLines } from '../../support/service/importing.ts';

const scene = importScene();

function distinctIds(): number {
  const messages = scene().messages();
  return new Set(messages.map(({ messageId }) => messageId)).size;
}

describe('an import that was ended', () => {
  test.each([
    { what: 'NDJSON', content: () => trackLines(3_000) },
    { what: 'gzip', content: () => gzipSync(trackLines(3_000)) },
    {
      what: 'CSV',
      content: () =>
        `type,user_id,event,n\n${Array.from({ length: 3_000 }, (_, n) => `track,u${n % 7},Paid,"${n}\n"\n`).join('')}`,
    },
  ])('an interrupted import continues where it stopped, and imports every line once: $what', async ({ content }) => {
    await writeFile(scene().path, content());
    const first = await scene().runPartly();

    const second = await scene().run();

    expect(first.isDone).toBe(false);
    expect(first.imported).toBeGreaterThan(0);
    expect(second).toMatchObject({ imported: 3_000, refused: 0, isDone: true, resumedAtLine: first.lines });
    expect(scene().messages()).toHaveLength(3_000);
    expect(distinctIds()).toBe(3_000);
    expect(
      new Set(
        scene()
          .messages()
          .map((message) => message.type === 'track' && message.properties),
      ).size,
    ).toBe(3_000);
  });

  test('an interrupted import repeats lines whose import was not recorded, byte for byte', async () => {
    await writeFile(scene().path, trackLines(1_000));
    const first = await scene().runPartly();
    const noted = await readFile(scene().statePath);
    await scene().runPartly();
    await writeFile(scene().statePath, noted);

    await scene().run();

    const values = scene()
      .log.records('tidemark.import-track', 0)
      .map(({ value }) => Buffer.from(value).toString('hex'));
    expect(first.imported).toBeLessThan(1_000);
    expect(values.length).toBeGreaterThan(1_000);
    expect(new Set(values).size).toBe(1_000);
  });

  test('an interrupted import leaves each refused line in the report once', async () => {
    await writeFile(
      scene().path,
      Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? trackLine(n) : `bad ${n}`)).join('\n'),
    );
    await scene().runPartly();
    await appendFile(scene().reportPath, `{"line":999999,"text":"${'written but not noted '.repeat(5_000)}`);

    await scene().run();

    expect((await scene().reported()).map(({ text }) => text)).toEqual(
      Array.from({ length: 200 }, (_, n) => `bad ${2 * n + 1}`),
    );
  });

  test('a finished import is not repeated', async () => {
    await writeFile(scene().path, trackLines(10));
    await scene().run();

    expect(await scene().run()).toMatchObject({ imported: 10, isDone: true, resumedAtLine: 10 });

    expect(scene().messages()).toHaveLength(10);
  });

  test('an import that restarts from the beginning gives each line the same message id', async () => {
    await writeFile(scene().path, trackLines(10));
    await scene().run();

    await scene().run({ restart: true });

    expect(scene().messages()).toHaveLength(20);
    expect(distinctIds()).toBe(10);
  });
});

test('the state names options as 0.3.0 did, whose imports can go on', async () => {
  await writeFile(scene().path, 'Email,event\nada,Paid\n');
  const how = { type: 'track', map: { Email: 'user_id' }, timezone: 'Asia/Tokyo', time_format: 's' } as const;
  await scene().run(how);

  expect((await scene().state()).options).toEqual({
    project: 'proj_1',
    timezone: 'UTC',
    type: 'track',
    format: null,
    import_id: null,
    csv: { delimiter: ',', typed: false, jsonColumns: [], renamed: [['Email', 'user_id']] },
    zone: 'Asia/Tokyo',
    timeFormat: 's',
  });
});

describe('an import is refused where', () => {
  beforeEach(async () => {
    await writeFile(scene().path, trackLines(1_000));
    await scene().runPartly();
  });

  async function expectChanged(given: Given = {}): Promise<void> {
    const before = scene().messages().length;
    await expect(scene().run(given)).rejects.toMatchObject({ code: 'IMPORT_CHANGED' });
    expect(scene().messages()).toHaveLength(before);
  }

  test('an import whose file has become longer or shorter is refused', async () => {
    await appendFile(scene().path, trackLine(1));
    await expectChanged();
    await truncate(scene().path, 5_000);
    await expectChanged();
  });

  test('an import whose imported lines have changed, at the same size, is refused', async () => {
    const text = await readFile(scene().path, 'utf8');
    await writeFile(scene().path, text.replace('"u1"', '"v1"'));
    await expectChanged();
  });

  test('an import whose imported lines have changed in the middle of a large file is refused', async () => {
    const many = trackLines(5_000);
    await writeFile(scene().path, many);
    await scene().runPartly({ restart: true }, 2_000);
    const { place } = await scene().state();
    const at = 70_000;
    await writeFile(scene().path, `${many.slice(0, at)}${many.slice(at).replace('Paid', 'Said')}`);

    expect(place.offset).toBeGreaterThan(at + 200);
    await expectChanged();
  });

  test('an import that would continue with other options is refused', async () => {
    await expectChanged({ type: 'track' });
    await expectChanged({ project: 'proj_2' });
    await expectChanged({ timezone: 'Europe/Berlin' });
    await expectChanged({ projectTimezone: 'Europe/Berlin' });
  });

  test('an import whose report is missing is refused', async () => {
    await writeFile(scene().path, '{"bad":1}\n'.repeat(3_000));
    await scene().run({ restart: true, signal: AbortSignal.abort() });
    await scene().runPartly();
    await truncate(scene().reportPath, 10);

    await expectChanged();
  });

  test('an import of a missing file or of an empty folder is refused', async () => {
    await expect(scene().run({ sources: [{ path: join(scene().folder, 'none') }] })).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
    });
    const empty = join(scene().folder, 'empty');
    await mkdir(empty);
    await expect(scene().run({ sources: [{ path: empty }] })).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
    });
  });
});
