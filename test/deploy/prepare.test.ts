import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';

// The first `npx` of a checkout prepares it again. A build takes the files away that a starting service reads.
test('an installation builds no console where there is one that is newer than its sources', () => {
  const builtAt = (): number => {
    execFileSync(process.execPath, ['services/prepare.js'], { stdio: 'pipe' });
    return statSync('console/dist/assets').mtimeMs;
  };

  expect(builtAt()).toBe(builtAt());
});
