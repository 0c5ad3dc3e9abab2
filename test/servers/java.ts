import { join } from 'node:path';
import { runTool } from './processes/server-process.ts';

const NEEDED = 17;

/** Java 17 or newer: `$JAVA_HOME`'s, else the one on the path. @throws Error where there is none. */
export async function findJava(): Promise<string> {
  const home = process.env['JAVA_HOME'];
  const java = home === undefined || home === '' ? 'java' : join(home, 'bin', 'java');
  const output = await runTool(java, ['-version']).catch((cause: unknown) => {
    throw new Error(`no Java ${NEEDED} or newer: ${java} does not run`, { cause });
  });
  // `openjdk version "17.0.15" 2025-04-15`; `"1.8.0_402"` for 8.
  const version = Number(/version "(\d+)/.exec(output)?.[1]);
  if (!(version >= NEEDED)) throw new Error(`Java ${NEEDED} or newer is needed; ${java} is ${output.split('\n')[0]}`);
  return java;
}
