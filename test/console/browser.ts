/** Debian's chromium, driven by playwright-core, which brings no browser of its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a browser is; undefined where this machine has none. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...CANDIDATES].find((path) => path !== '' && existsSync(path));
}

/** @throws Error where there is no chromium. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no chromium: apt-get install chromium, or set CHROMIUM.');
  // Root, as containers often have it, cannot use Chromium's sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, '--disable-gpu', '--disable-dev-shm-usage'] });
}
