import { stat, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { importScene, trackLine, trackLines } from '../../support/service/importing.ts';

const scene = importScene();

describe('an import', () => {
  test('an import writes identify and track to topics of their own, with every field', async () => {
    await writeFile(
      scene().path,
      '{"type":"identify","user_id":"ada","traits":{"plan":"pro"},"timestamp":"2020-01-01","message_id":"m-1"}\n' +
        '{"type":"track","anonymousId":"x","event":"Paid"}\n',
    );

    const result = await scene().run();

    expect(result).toMatchObject({ imported: 2, refused: 0, lines: 2, isDone: true });
    const [identify, paid] = scene().messages();
    expect(identify).toMatchObject({
      type: 'identify',
      userId: 'ada',
      messageId: 'm-1',
      source: 'import',
      traits: '{"plan":"pro"}',
    });
    expect(identify?.timestamp).toBe(BigInt(Date.UTC(2020, 0)) * 1_000n);
    expect(paid).toMatchObject({
      type: 'track',
      userId: null,
      anonymousId: 'x',
      messageIdGiven: true,
      sessionId: null,
    });
    expect(paid?.receivedAt).toBe((identify?.receivedAt ?? 0n) + 1n);
    expect(paid?.timestamp).toBe(paid?.receivedAt);
    expect(scene().log.records('tidemark.import-identify', 0)).toHaveLength(1);
  });

  test('an import counts the events that the project does not keep, in a dry run too, and imports them', async () => {
    const lineAt = (type: string, day: string) =>
      JSON.stringify({ type, user_id: 'a', event: 'e', traits: {}, timestamp: day });
    const days = ['2020-05-01', '2020-04-30', '2020-04-29'];
    await writeFile(
      scene().path,
      ['track', 'identify'].flatMap((type) => days.map((at) => lineAt(type, at))).join('\n'),
    );
    const eventsFrom = BigInt(Date.UTC(2020, 4)) * 1_000n;
    const gone = { column: '/timestamp', count: 2, examples: [{ line: 2 }, { line: 3 }] };

    expect((await scene().run({ eventsFrom, isDry: true })).warnings).toMatchObject([gone]);
    expect(await scene().run({ eventsFrom })).toMatchObject({ imported: 6, warnings: [gone] });
    expect((await scene().run({ isDry: true })).warnings).toEqual([]);
  });

  test('an import writes refused lines into the report, which only its owner can read', async () => {
    await writeFile(scene().path, `${trackLine(1)}\n{"type":"track"}\n\nnonsense\n${trackLine(2)}\n`);

    const result = await scene().run();

    expect(result).toMatchObject({ imported: 2, refused: 2, lines: 5, isDone: true });
    expect(await scene().reported()).toEqual([
      {
        line: 2,
        errors: [
          { path: '/user_id', message: 'is missing' },
          { path: '/event', message: 'is missing' },
        ],
        text: '{"type":"track"}',
      },
      { line: 4, errors: [expect.objectContaining({ path: '' })], text: 'nonsense' },
    ]);
    expect((await stat(scene().reportPath)).mode & 0o777).toBe(0o600);
    expect((await stat(scene().statePath)).mode & 0o777).toBe(0o600);
  });

  test('an import unpacks gzip, whatever the name of the file, also of several members', async () => {
    await writeFile(scene().path, Buffer.concat([gzipSync(trackLines(3)), gzipSync(trackLines(2))]));

    expect(await scene().run()).toMatchObject({ imported: 5, isDone: true });
  });

  test.each([
    ['for the first time', false],
    ['in place of an import before', true],
  ])('an import whose header is refused keeps no state: %s', async (_, restart) => {
    const csv = { format: 'csv', type: 'track' } as const;
    await writeFile(scene().path, 'user_id,event\nada,Paid\n');
    if (restart) await scene().run(csv);
    await writeFile(scene().path, 'user_id,event,event\nada,Paid,Paid\n');

    await expect(scene().run({ ...csv, restart })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    await expect(scene().state()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a dry import writes nothing to the log and keeps no state', async () => {
    await writeFile(scene().path, `${trackLines(3)}nonsense\n`);

    expect(await scene().run({ isDry: true })).toMatchObject({ imported: 3, refused: 1, isDone: true });

    expect(scene().messages()).toEqual([]);
    await expect(scene().state()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('an import waits for a log that is unreachable', async () => {
    await writeFile(scene().path, trackLines(5));
    scene().log.trouble = new TidemarkError('LOG_UNAVAILABLE', 'unreachable');
    // The length of the fault: the import asks the log first, and again until it answers.
    setTimeout(() => (scene().log.trouble = undefined), 50);

    expect(await scene().run()).toMatchObject({ imported: 5, isDone: true });
  });

  test('an import stops where the clock of this machine differs from that of the log', async () => {
    await writeFile(scene().path, trackLines(500));

    // The log in memory has times of its own, years ago.
    await expect(scene().run({ maxClockSkewMs: 5_000 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });

    expect(scene().messages().length).toBeLessThan(500);
  });

  test('an import of truncated gzip fails with IMPORT_UNREADABLE after it imported what came before', async () => {
    const whole = gzipSync(trackLines(5_000));
    await writeFile(scene().path, whole.subarray(0, whole.length - 500));

    await expect(scene().run()).rejects.toMatchObject({ code: 'IMPORT_UNREADABLE' });

    expect(scene().messages().length).toBeGreaterThan(0);
  });
});
