/**
 * What a rendering of the chart was made from: node tools/helm-sources.ts VALUES prints its SHA-256, which
 * tools/helm-render.sh writes into the rendering.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const CHART = 'deploy/helm/tidemark';

/** In hexadecimal, of the chart and of the file with values. The version and the schema of values change no rendering. */
export function sourcesHash(values: string): string {
  const hash = createHash('sha256');
  for (const file of [`${CHART}/Chart.yaml`, `${CHART}/values.yaml`, ...templates(), values]) {
    const text = readFileSync(file, 'utf8');
    const counted = file.endsWith('/Chart.yaml') ? text.replaceAll(/^(?:version|appVersion): .*$/gm, '') : text;
    hash.update(`${file} ${Buffer.byteLength(counted)}\n${counted}`);
  }
  return hash.digest('hex');
}

/** NOTES.txt is printed, and no part of a rendering. */
function templates(): string[] {
  return globSync(`${CHART}/templates/*.{yaml,tpl}`).sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${sourcesHash(process.argv[2] ?? '')}\n`);
