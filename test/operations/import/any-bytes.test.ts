/** Whatever a file holds, its import can be stopped. */
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BEGINNING } from '../../../services/operations/import/record.ts';
import { CsvRecordEnd } from '../../../services/operations/import/record-end.ts';
import { RecordSplitter } from '../../../services/operations/import/split.ts';
import { importScene } from '../../support/service/importing.ts';
import { FORMS, MB, REOPENING } from './any-bytes.ts';

const scene = importScene();

describe('a file of any bytes', { timeout: 120_000 }, () => {
  test.each(FORMS)('$what: an import can be stopped, packed or not, also one that only looks', async (form) => {
    const content = Buffer.from(form.begins + form.goesOn.repeat((4 * MB) / form.goesOn.length));

    for (const bytes of [content, gzipSync(content, { level: 1 })]) {
      await writeFile(scene().path, bytes);
      for (const isDry of [true, false]) {
        const stop = new AbortController();
        // Long before its end.
        setTimeout(() => stop.abort(), 1);
        const given = { isDry, restart: true, signal: stop.signal };
        expect(await scene().run(given)).toMatchObject({ isDone: false });
      }
    }
  });

  test('each line is refused by itself where each leaves a quote open', () => {
    const splitter = new RecordSplitter(new CsvRecordEnd(','), BEGINNING);
    const lines = (2 * MB) / REOPENING.length;

    const records = [...splitter.push(Buffer.from(REOPENING.repeat(lines))), ...splitter.finish()];

    expect(records).toHaveLength(lines);
    expect(new Set(records.slice(0, -1).map(({ fault, length }) => `${fault} ${length}`))).toEqual(
      new Set([`open-quote ${REOPENING.length - 1}`]),
    );
  });
});
