import { existsSync, globSync, readFileSync } from 'node:fs';
import { importsOf } from './imports.ts';

/** What starts a process or a thread, opens an embedded store, or asks for a real server. */
const HEAVY = /^(?:node:(?:child_process|worker_threads|cluster)|lmdb|chdb|@electric-sql\/pglite|test\/servers\/.*)$/;

/** Import nothing heavy, and take longer than five seconds all the same: they wait for the timeouts of real sockets. */
export const SLOW: readonly string[] = ['test/http/raw-requests.test.ts', 'test/http/slow-clients.test.ts'];

/** The test files of the project `unit`: those that import nothing heavy, through however many files, and are not slow. */
export function unitTests(): string[] {
  const tests = globSync('test/**/*.test.ts').sort();
  return tests.filter((file) => !SLOW.includes(file) && heavyImport(file, readSource) === undefined);
}

/** The way from a test to the first heavy import: the files, then what the last one imports. */
export function heavyImport(file: string, textOf: (file: string) => string): string[] | undefined {
  const ways = [[file]];
  const seen = new Set([file]);
  for (const way of ways) {
    const last = way.at(-1) ?? file;
    for (const { to, kind } of importsOf(last, textOf(last))) {
      if (kind === 'type' || seen.has(to)) continue;
      if (HEAVY.test(to)) return [...way, to];
      seen.add(to);
      if (to.endsWith('.ts')) ways.push([...way, to]);
    }
  }
  return undefined;
}

const sources = new Map<string, string>();

function readSource(file: string): string {
  // A test names programs that do not exist where it shows what happens then.
  const text = sources.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
  sources.set(file, text);
  return text;
}
