import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitionText } from '../../services/cli/audience/audience-request.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a definition is JSON itself, or a file of it, as FILE or as @FILE', async () => {
  const file = join(await temporaryFolder(), 'audience.json');
  await writeFile(file, '{"event":"Paid"}');

  const texts = await Promise.all([' {"event":"Paid"}', file, `@${file}`].map(definitionText));

  expect(texts.map((text) => text.trim())).toEqual(Array.from({ length: 3 }, () => '{"event":"Paid"}'));
  await expect(definitionText(`${file}.missing`)).rejects.toThrow(/missing cannot be read/);
});
