import type { SampleCondition } from './audience.ts';
import { numberConstant } from './number-constant.ts';
import type { Reading } from './reading.ts';

export function readSample(
  reading: Reading,
  node: Readonly<Record<string, unknown>>,
  path: string,
): SampleCondition | undefined {
  reading.onlyKeys(node, ['sample'], path);
  const at = `${path}/sample`;
  const sample = reading.object(node['sample'], at);
  if (!sample) return undefined;
  reading.onlyKeys(sample, ['percent', 'seed'], at);
  const hundredths = readHundredths(reading, sample['percent'], `${at}/percent`);
  const seed = reading.text(sample['seed'], `${at}/seed`, 1);
  return hundredths === undefined || seed === undefined ? undefined : { kind: 'sample', hundredths, seed };
}

/** A percentage in hundredths. The double that is nearest to a decimal comes of dividing its hundredths, and of no other. */
function readHundredths(reading: Reading, value: unknown, path: string): number | undefined {
  const percent = numberConstant(value)?.double ?? 0;
  const hundredths = Math.round(percent * 100);
  const isShare = hundredths >= 1 && hundredths <= 10_000 && hundredths / 100 === percent;
  return isShare ? hundredths : reading.refuse(path, 'is not a number from 0.01 to 100 with at most two decimals');
}
