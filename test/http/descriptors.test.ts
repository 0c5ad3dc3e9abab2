import { expect, test } from 'vitest';
import { withinDescriptors } from '../../services/http/descriptors.ts';
import { readConfig } from '../../services/runtime/config.ts';

test.each([
  ['without a limit', Infinity, '10000', 10_000],
  ['with a thousand to spare', 11_000, '10000', 10_000],
  ['with fewer to spare', 10_999, '10000', 9_999],
  ['with a low limit, half of it', 1_024, '10000', 512],
  ['set lower', 1_024, '100', 100],
])('connections %s', (_, limit, set, expected) => {
  const lines: unknown[] = [];
  const config = readConfig({ MAX_CONNECTIONS: set });

  const { maxConnections } = withinDescriptors(config, { warn: (line: unknown) => void lines.push(line) }, limit);

  expect(maxConnections).toBe(expected);
  expect(lines).toHaveLength(Number(expected !== Number(set)));
});
