/** Debian's browsers, driven by playwright-core, which brings none of its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, firefox } from 'playwright-core';

export type BrowserName = 'chromium' | 'firefox';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FIREFOXES = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** Where a browser is; undefined where this machine has none. */
export function findChromium(): string | undefined {
  return found(process.env['CHROMIUM'], CANDIDATES);
}

function found(given: string | undefined, places: readonly string[]): string | undefined {
  return [given ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** @throws Error where it is not on this machine. */
export async function openBrowser(name: BrowserName = 'chromium'): Promise<Browser> {
  return name === 'firefox' ? openFirefox() : openChromium();
}

async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no chromium: apt-get install chromium, or set CHROMIUM.');
  // Root, as containers often have it, cannot use Chromium's sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, '--disable-gpu', '--disable-dev-shm-usage'] });
}

/**
 * As it is released: Playwright speaks WebDriver BiDi to it, where this channel is named. That of 1.65 needs a Firefox which
 * knows `emulation.setMediaFeaturesOverride`: 153 does not, and was driven by 1.58. It
 * tells of no download of a blob: what waits for one fails there.
 */
async function openFirefox(): Promise<Browser> {
  const executablePath = found(process.env['FIREFOX'], FIREFOXES);
  if (executablePath === undefined)
    throw new Error('There is no Firefox: apt-get install firefox-esr, or set FIREFOX.');
  return firefox.launch({ channel: 'moz-firefox', executablePath });
}
