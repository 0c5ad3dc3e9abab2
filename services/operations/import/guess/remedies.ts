/** Which choices make rows right that would be rejected: each was tried on the first rows. */
import type { Guess } from './guess.ts';
import type { FileOptions } from '../import-options.ts';

type Choice = Partial<Pick<FileOptions, 'preset' | 'type' | 'map' | 'delimiter' | 'encoding' | 'time_format'>>;

export interface Remedy {
  /** Members of a request. */
  readonly options: Choice;
  /** How many of the first rows would then be rejected. */
  readonly rejected: number;
}

/**
 * Those that leave the fewest of the rows rejected, if that are fewer than now; a single choice rather than several.
 *
 * @param rejected How many are rejected now.
 * @param rejectedBy The same with other options.
 */
export async function remediesFor(
  options: FileOptions,
  guess: Guess,
  rejected: number,
  rejectedBy: (options: FileOptions) => Promise<number>,
): Promise<readonly Remedy[]> {
  const single = choicesOf(options, guess);
  const formats = guess.time_formats.map((format) => ({ time_format: format }));
  const together = single.reduce<Choice>((all, one) => ({ ...all, ...one }), {});
  const dated = single.length === 0 ? [] : formats.map((format) => ({ ...together, ...format }));
  let best: readonly Remedy[] = [];
  let least = rejected;
  for (const choices of [[...single, ...formats], single.length < 2 ? [] : [together], dated]) {
    if (least === 0) break;
    const tried: Remedy[] = [];
    for (const choice of choices)
      tried.push({ options: choice, rejected: await rejectedBy({ ...options, ...choice }) });
    const fewest = Math.min(...tried.map((one) => one.rejected));
    if (fewest >= least) continue;
    [best, least] = [tried.filter((one) => one.rejected === fewest), fewest];
  }
  return best;
}

function choicesOf(options: FileOptions, { preset, type, map, delimiter, encoding }: Guess): readonly Choice[] {
  if (preset !== null) return preset === options.preset ? [] : [{ preset: preset as FileOptions['preset'] }];
  const mapped = Object.entries(map).some(([source, target]) => options.map[source] !== target);
  return [
    ...(mapped ? [{ map: { ...options.map, ...map } }] : []),
    ...(type === null || type === options.type ? [] : [{ type }]),
    ...(delimiter === null || delimiter === options.delimiter ? [] : [{ delimiter }]),
    ...(encoding === (options.encoding ?? 'utf-8') ? [] : [{ encoding: encoding as FileOptions['encoding'] }]),
  ];
}
