import { dirname, join, normalize } from 'node:path';

/** `from` imports `to`, both paths from the project's root; a package by its name. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly kind: 'static' | 'dynamic' | 'type' | 'url';
}

const IMPORT =
  /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|new URL\(\s*['"]([^'"]+\.ts)['"]/gm;

/** What a file imports. `new URL('….ts')` counts: it names the program of a thread or of a process. */
export function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, named, dynamic, url]) => {
    const target = named ?? dynamic ?? url ?? '';
    const isPath = target.startsWith('.') || url !== undefined;
    const kind = url !== undefined ? 'url' : dynamic !== undefined ? 'dynamic' : type ? 'type' : 'static';
    return { from: file, to: isPath ? normalize(join(dirname(file), target)) : target, kind };
  });
}
