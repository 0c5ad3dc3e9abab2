/** Which choices make rows right that would be rejected: each was tried on the first rows. */
import type { Guess } from './guess.ts';
import type { ImportOptions, ImportPreview } from '../import-options.ts';

type Remedies = ImportPreview['remedies'];

type Choice = Remedies[number]['options'];

/**
 * Those that leave the fewest of the rows rejected, if that are fewer than now; a single choice rather than several.
 *
 * @param rejected How many are rejected now.
 * @param rejectedBy The same with other options.
 */
export async function remediesFor(
  options: ImportOptions,
  guess: Guess,
  rejected: number,
  rejectedBy: (options: ImportOptions) => Promise<number>,
): Promise<Remedies> {
  const single = choicesOf(options, guess);
  const formats = guess.time_formats.map((format) => ({ time_format: format }));
  const together = single.reduce<Choice>((all, one) => ({ ...all, ...one }), {});
  const dated = single.length === 0 ? [] : formats.map((format) => ({ ...together, ...format }));
  let best: Remedies = [];
  let least = rejected;
  for (const choices of [[...single, ...formats], single.length < 2 ? [] : [together], dated]) {
    if (least === 0) break;
    const tried: Remedies[number][] = [];
    for (const choice of choices)
      tried.push({ options: choice, rejected: await rejectedBy({ ...options, ...choice } as ImportOptions) });
    const fewest = Math.min(...tried.map((one) => one.rejected));
    if (fewest >= least) continue;
    [best, least] = [tried.filter((one) => one.rejected === fewest), fewest];
  }
  return best;
}

function choicesOf(options: ImportOptions, { preset, type, map, delimiter, encoding }: Guess): readonly Choice[] {
  if (preset !== null) return preset === options.preset ? [] : [{ preset }];
  const mapped = Object.entries(map).some(([source, target]) => options.map[source] !== target);
  return [
    ...(mapped ? [{ map: { ...options.map, ...map } }] : []),
    ...(type === null || type === options.type ? [] : [{ type }]),
    ...(delimiter === null || delimiter === options.delimiter ? [] : [{ delimiter }]),
    ...(encoding === (options.encoding ?? 'utf-8') ? [] : [{ encoding }]),
  ];
}
