/** Files that an import of their size must not take minutes to read: each of these took that, or never ended. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guess } from '../../../services/operations/import/guess/guess.ts';
import { Sources } from '../../../services/operations/import/mapping/explain.ts';
import { PLAIN } from '../../../services/operations/import/mapping/mapping.ts';
import { readHeader } from '../../../services/operations/import/csv-columns.ts';
import { Report } from '../../../services/operations/import/report.ts';
import { timeReader } from '../../../services/operations/import/times/time-format.ts';
import { READ } from '../../support/service/import-records.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

test('many blanks in a format are one, so that a time of many blanks is read at once', () => {
  const read = timeReader(`YYYY${' '.repeat(48)}MM DD`);

  expect(read(`2026${' '.repeat(200)}11x`, 'UTC')).toBeUndefined();
  expect(read('2026 11 28', 'UTC')).toMatchObject({ ok: true });
});

test('a header of more columns than a message may have traits is refused before they are compared', () => {
  expect(() => readHeader(names(150_000), READ, PLAIN)).toThrow('it has 150000 columns, and at most 10000 are read');
});

test('10,000 columns and 1,000 sources that are looked for among them are read', () => {
  const sources = Array.from({ length: 1_000 }, (_, index) => `c${index}.inner`);

  expect(readHeader(names(10_000), READ, PLAIN, sources)).toHaveLength(10_000);
  expect(() => readHeader(['a'.concat('.b'.repeat(200_000)), 'a'], READ, PLAIN)).not.toThrow();
});

test('columns within another are found whichever comes first, and however deep', () => {
  for (const [one, other] of [
    ['traits', 'traits.a.b'],
    ['traits.a.b', 'traits.a'],
    ['traits.a', 'traits.a.b.c.d'],
    ['traits.a', 'a'],
  ] as const)
    expect(() => readHeader(['user_id', one, other], READ, PLAIN)).toThrow(/are in each other's way/);
  expect(() => readHeader(['user_id', 'traits.ab', 'traits.a', 'a.b'], READ, PLAIN)).not.toThrow();
});

test('problems in the last of 10,000 columns are named after it', () => {
  const sources = new Sources(PLAIN, readHeader(names(10_000), READ, PLAIN));

  for (let problem = 0; problem < 2_000; problem++) expect(sources.of('/traits/c9999/inner')).toBe('c9999');
  expect(sources.of('/traits/c10000')).toBeUndefined();
});

test.each([
  ['a name of brackets', `${'('.repeat(400_000)},user_id\n1,u\n`],
  ['a name of blanks', `a${' '.repeat(400_000)}b,user_id\n1,u\n`],
  ['many columns', `${names(40_000).join(',')},user_id\n`],
])('what a file is can be guessed where it has %s', (_, text) => {
  expect(guess(Buffer.from(text))).toMatchObject({ format: 'csv', delimiter: ',' });
});

test.runIf(existsSync('/proc/self/fd'))('a report that cannot be cut to its length is closed again', async () => {
  // A device can be opened, and has no length.
  await expect(Report.open('/dev/full', 0)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

  const opened = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return 'closed meanwhile';
    }
  });
  expect(opened).not.toContain('/dev/full');
});
