/** Whatever a file holds: little memory is used, and the import can be stopped. */
import { writeFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BEGINNING } from '../../../services/maintenance/import/record.ts';
import { CsvRecordEnd } from '../../../services/maintenance/import/record-end.ts';
import { RecordReader } from '../../../services/maintenance/import/read-records.ts';
import { RecordSplitter } from '../../../services/maintenance/import/split.ts';
import { READ } from '../../support/import-records.ts';
import { importScene } from '../../support/importing.ts';

const MB = 2 ** 20;
/** Read with its first byte anew it leaves a quote open, read behind an open quote it closes none at its end. */
const REOPENING = 'x",""",\n';

interface Form {
  readonly what: string;
  /** What the file begins with. */
  readonly begins: string;
  /** What it then holds again and again. */
  readonly goesOn: string;
}

const FORMS: readonly Form[] = [
  { what: 'blank lines', begins: '', goesOn: '\n' },
  { what: 'lines of white space', begins: '\uFEFF', goesOn: ' \t\r\n' },
  { what: 'a line of spaces without end', begins: '', goesOn: ' ' },
  { what: 'blank lines behind a message', begins: '{"type":"track","user_id":"a","event":"b"}\n', goesOn: '\n' },
  { what: 'blank lines behind a header', begins: 'type,user_id,event\n', goesOn: '\r\n' },
  { what: 'a line without end', begins: '{"user_id":"', goesOn: 'x' },
  { what: 'zero bytes', begins: '{"user_id":"', goesOn: '\0' },
  { what: 'a header without end', begins: 'type,user_id,event,', goesOn: 'x' },
  { what: 'a quote that is never closed', begins: 'type,user_id,event\n"', goesOn: 'aaaaaaa\n' },
  { what: 'quotes of which none is closed', begins: 'type,user_id,event\n', goesOn: REOPENING },
];

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
        const given = { isDry, restarts: true, signal: stop.signal };
        expect(await scene().run(given)).toMatchObject({ isDone: false });
      }
    }
  });

  test.each(FORMS)('$what: of 24 MB no more than 16 MB are in memory at once', async ({ begins, goesOn }) => {
    const chunk = Buffer.from(goesOn.repeat(65_536 / goesOn.length));
    const before = usedBytes();
    let most = -Infinity;
    async function* chunks(): AsyncGenerator<Buffer> {
      yield Buffer.from(begins);
      for (let sent = 0; sent < 24 * MB; sent += chunk.length) {
        if (sent % (6 * MB) === 0) most = Math.max(most, usedBytes() - before);
        yield Buffer.from(chunk);
      }
      most = Math.max(most, usedBytes() - before);
    }

    const reader = new RecordReader(READ, undefined);
    const reading = reader.read(chunks(), BEGINNING);
    // A header without end is refused at the end of the file.
    for (;;) if ((await reading.next().catch(() => ({ done: true }))).done === true) break;

    expect(most).toBeGreaterThan(-Infinity);
    expect(most).toBeLessThan(16 * MB);
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

/** Bytes of what is still needed. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The second one waits for what the first one frees.
  for (const _ of [1, 2]) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
