import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { previewFile } from '../../../../services/operations/import/preview.ts';
import { READ } from '../../../support/service/import-records.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function remediesOf(text: string, given: object = {}) {
  const path = join(await temporaryFolder(), 'file');
  await writeFile(path, text);
  await using file = await open(path);
  const { remedies } = await previewFile(file, { ...READ, ...given }, new AbortController().signal);
  return remedies;
}

describe('remedies', () => {
  const shop = 'customer,what,when\nada,Paid,03.10.2026\nbob,Paid,04.10.2026\n';

  test('rows that are right need none', async () => {
    expect(await remediesOf('user_id,event\nada,Paid\n', { type: 'track' })).toEqual([]);
  });

  test('a date that may be of either order is right by each of two forms', async () => {
    const map = { customer: 'user_id', what: 'event', when: 'timestamp' };

    expect(await remediesOf(shop, { type: 'track', map })).toEqual([
      { options: { time_format: 'DD.MM.YYYY' }, rejected: 0 },
      { options: { time_format: 'MM.DD.YYYY' }, rejected: 0 },
    ]);
  });

  test('several choices are one remedy where none of them suffices', async () => {
    const map = { customer: 'user_id', what: 'event', when: 'timestamp' };

    expect(await remediesOf(shop)).toEqual([
      { options: { map, type: 'track', time_format: 'DD.MM.YYYY' }, rejected: 0 },
      { options: { map, type: 'track', time_format: 'MM.DD.YYYY' }, rejected: 0 },
    ]);
  });

  test('a choice that suffices is the remedy alone', async () => {
    const semicolons = 'user_id;event\nada;Paid\n';

    expect(await remediesOf(semicolons, { type: 'track' })).toEqual([{ options: { delimiter: ';' }, rejected: 0 }]);
    expect(await remediesOf('user_id,event\nada,Paid\n')).toEqual([{ options: { type: 'track' }, rejected: 0 }]);
  });

  test('what no choice makes right has no remedy', async () => {
    expect(await remediesOf('user_id,event\n,Paid\n', { type: 'track' })).toEqual([]);
  });

  test('what is the fewest counts where some rows stay wrong', async () => {
    const text = 'customer,what\nada,Paid\n,Paid\n';

    expect(await remediesOf(text, { type: 'track' })).toEqual([
      { options: { map: { customer: 'user_id', what: 'event' } }, rejected: 1 },
    ]);
  });
});
