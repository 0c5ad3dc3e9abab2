/**
 * Builds the console into `console/dist/`, which the service holds in memory: see console/README.md. `npm ci` runs it
 * through services/prepare.js; `npm run console` runs it by itself.
 */
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const DIST = `${FOLDER}dist`;
const SOURCES = '{console/src/**,console/*.*,schemas/*.ts,package-lock.json}';

/** Every file is there three times: as it is, and compressed with gzip and Brotli. */
export async function buildConsole() {
  // A test that builds has another, and gets a larger build from Vite.
  process.env.NODE_ENV = 'production';
  await build({ configFile: `${FOLDER}vite.config.ts` });
  for (const name of globSync('{index.html,assets/*}', { cwd: DIST })) {
    const bytes = readFileSync(`${DIST}/${name}`);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${DIST}/${name}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    writeFileSync(`${DIST}/${name}.br`, brotliCompressSync(bytes, { params }));
  }
}

/** Whether the build is newer than what it is made from. */
export function isBuilt() {
  const last = statSync(`${DIST}/index.html.br`, { throwIfNoEntry: false });
  const isOlder = (name) => statSync(`${FOLDER}../${name}`).mtimeMs <= last.mtimeMs;
  return last !== undefined && globSync(SOURCES, { cwd: `${FOLDER}..` }).every(isOlder);
}

if (import.meta.main) await buildConsole();
