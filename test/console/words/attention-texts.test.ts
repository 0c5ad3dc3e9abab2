/** What the console says of what wants attention, and of what happened on a day. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTENTION_LINKS } from '../../../services/api/admin/status/attention.ts';
import { notesAt } from '../../../console/src/parts/charts/notes-at.ts';
import type { Note } from '../../../console/src/api/types.ts';

test('every code of the service has words that say what to do, and no other has', () => {
  const text = readFileSync('console/src/parts/attention.tsx', 'utf8');
  const namesOf = (table: string): string[] => {
    const [, block = ''] = text.split(new RegExp(`const ${table}: [^=]+= \\{\\n`));
    return [...(block.split('\n};')[0] ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name);
  };

  expect(namesOf('TO_DO').toSorted()).toEqual(Object.keys(ATTENTION_LINKS).toSorted());
  expect(namesOf('SCREENS').length).toBeGreaterThan(5);
  expect(namesOf('SCREENS').filter((code) => !(code in ATTENTION_LINKS))).toEqual([]);
});

test('a note is at the last point that begins before it, two of one point stand together, and none before the chart', () => {
  const starts = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', null];
  const note = (at: string, text: string, kind: Note['kind'] = 'note'): Note => ({
    kind,
    id: null,
    at,
    text,
    by: null,
  });
  const notes = [
    note('2026-11-21T23:00:00.000000Z', 'analytics', 'replay'),
    note('2026-11-21T00:00:00.000000Z', 'Sale begins'),
    note('2026-11-20T12:00:00.000000Z', 'users.csv', 'import'),
    note('2026-11-19T12:00:00.000000Z', 'Too early'),
  ];

  expect([...notesAt(starts, notes)]).toEqual([
    [0, 'Imported users.csv'],
    [1, 'Sale begins · Replayed analytics'],
  ]);
  expect(notesAt(starts).size).toBe(0);
});
