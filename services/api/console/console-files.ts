/** The built console (console/dist/), in memory: every file as it is, and compressed. */
import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call } from '../../http/call.ts';
import type { Answer, Route } from '../../http/route.ts';

const BUILT = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

/** No exceptions: no script and no style within the page, nothing from elsewhere, in nobody's frame. */
const POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': POLICY,
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Content-Encoding → bytes; `identity` as they are. */
type Encodings = Readonly<Record<'br' | 'gzip' | 'identity', Uint8Array>>;

/** `/console/` and its files. Without a build, the page says how to make one. @param folder Where the build is. */
export function consoleFileRoutes(folder: string = BUILT): Route[] {
  const files = readFiles(folder);
  const page = files.get('index.html');
  const assets = new Map([...files].map(([name, encodings]) => [name.replace(/^assets\//, ''), encodings]));
  return [
    open('/console', () => ({ status: 308, body: '', headers: { Location: 'console/' } })),
    open('/console/', (call) => (page === undefined ? NOT_BUILT : answerFile(call, '.html', page, 'no-cache'))),
    open('/console/assets/:file', (call) => {
      const file = call.params['file'] ?? '';
      const encodings = file === 'index.html' ? undefined : assets.get(file);
      if (encodings === undefined) return { refused: 'not-found', detail: 'The console has no such file.' };
      return answerFile(call, extname(file), encodings, 'public, max-age=31536000, immutable');
    }),
  ];
}

/** What a process serves of the console before its stores are open. */
export function pagesOf({ console }: { readonly console: boolean }): Route[] {
  return console ? consoleFileRoutes() : [];
}

function open(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, scope: null, bodyLimitBytes: null, style: 'problem', handle };
}

function readFiles(folder: string): Map<string, Encodings> {
  const names = globSync('{index.html,assets/*}', { cwd: folder }).filter((name) => extname(name) in CONTENT_TYPES);
  return new Map(
    names.map((name) => [
      name,
      {
        identity: readFileSync(`${folder}/${name}`),
        gzip: readFileSync(`${folder}/${name}.gz`),
        br: readFileSync(`${folder}/${name}.br`),
      },
    ]),
  );
}

function answerFile({ headers }: Call, extension: string, encodings: Encodings, caching: string): Answer {
  const encoding = encodingFor(headers['accept-encoding']);
  return {
    status: 200,
    type: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    body: encodings[encoding],
    headers: {
      ...SAFE,
      'Cache-Control': caching,
      Vary: 'Accept-Encoding',
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    },
  };
}

function encodingFor(accepted: string | string[] = ''): keyof Encodings {
  const given = new Set(
    String(accepted)
      .split(',')
      .map((entry) => entry.trim().toLowerCase()),
  );
  if (given.has('br')) return 'br';
  return given.has('gzip') ? 'gzip' : 'identity';
}

const NOT_BUILT: Answer = {
  status: 200,
  type: 'text/html; charset=utf-8',
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Tidemark</title></head>
<body>
<h1>The console has not been built</h1>
<p>The service itself works. To have its console here, build it where the service is installed, and start the service again:</p>
<pre>npm ci &amp;&amp; npm run console</pre>
<p>An installation without development packages (npm ci --omit=dev) has no build tool. Build elsewhere and copy the folder
console/dist. CONSOLE=off removes this page.</p>
</body>
</html>
`,
  headers: { ...SAFE, 'Cache-Control': 'no-cache' },
};
