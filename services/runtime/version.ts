import { readFileSync } from 'node:fs';
import { arch, platform, release } from 'node:os';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version of this program, as package.json has it. */
export function programVersion(): string {
  return (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }).version;
}

/** What runs, and on what. */
export function aboutProgram(): Readonly<Record<'version' | 'node' | 'platform', string>> {
  return { version: programVersion(), node: process.version, platform: `${platform()} ${release()} ${arch()}` };
}
