/** `tidemark import --guess`: what a file seems to be, as the command that would import it. */
import type { Answer } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';

export type ImportPreview = Answer<'POST /v1/admin/imports/preview'>;

export function printGuess(
  { out }: CliContext,
  files: readonly string[],
  { guess, problem, rows }: ImportPreview,
): void {
  const { format, encoding, delimiter, header } = guess;
  const fields = delimiter === null ? '' : `, fields separated by ${delimiter === '\t' ? 'tabs' : `"${delimiter}"`}`;
  const first = header === false ? '. The first line is a row: name the columns with --columns' : '';
  out(`It seems to be ${format === 'csv' ? 'CSV' : 'NDJSON'} in ${encoding}${fields}${first}.\n`);
  out('Nothing was imported. This would look at all of it:\n');
  out(`  ${['tidemark import', ...files, ...optionsOf(guess), '--dry-run'].map(quoted).join(' ')}\n`);
  if (guess.time_formats.length > 1)
    out(`Its times may be of either form: add --time-format ${guess.time_formats.map(quoted).join(', or ')}.\n`);
  for (const { name, type, others, other } of guess.columns)
    if (others > 0)
      out(`${quoted(name)} seems to be of ${WORDS[type]}, and ${others} cells are not: ${quoted(other ?? '')}\n`);
  const wrong = rows.filter(({ problems }) => problems.length > 0).length;
  if (problem !== null) out(`As the command is now: ${problem}\n`);
  else if (wrong > 0) out(`As the command is now, ${wrong} of the first ${rows.length} would be refused.\n`);
}

const WORDS = { number: 'numbers', boolean: 'true and false', date: 'dates', text: 'texts' };

function optionsOf(guess: ImportPreview['guess']): string[] {
  const { preset, type, delimiter, encoding, map, time_format: format, types, text_columns: texts } = guess;
  const mapped = Object.entries(map).flatMap(([source, target]) => ['--map', `${source}=${target}`]);
  return [
    ...(preset === null ? [] : ['--preset', preset]),
    ...(encoding === 'utf-8' ? [] : ['--encoding', encoding]),
    ...(delimiter === null || delimiter === ',' ? [] : ['--delimiter', delimiter === '\t' ? 'tab' : delimiter]),
    ...(type === null ? [] : ['--type', type]),
    ...mapped,
    ...(types ? ['--types', ...texts.flatMap((name) => ['--text-column', name])] : []),
    ...(format === null ? [] : ['--time-format', format]),
  ];
}

/** As a shell takes it. */
function quoted(word: string): string {
  return /^(?:tidemark import|[\w./=:@%+-]+)$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
