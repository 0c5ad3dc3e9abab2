/** Pages for people who open the service's address in a browser. No page loads anything from elsewhere. */
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Refusal } from './problems.ts';
import type { Answer } from './route.ts';

/** Whether this process can do its work, and how each part of it is. */
export interface Readiness {
  readonly ready: boolean;
  /** Name of the part → its state in a word: `ready`, `starting`, `away`, … */
  readonly parts: Readonly<Record<string, string>>;
}

/** Whether a person asks: browsers name HTML, programs do not. */
export function isForPeople({ accept = '' }: IncomingHttpHeaders): boolean {
  return /\btext\/html\b/i.test(accept);
}

/** @param links Name of an entry → its path. */
export function frontPage({ ready, parts }: Readiness, links: Readonly<Record<string, string>>): Answer {
  const states = Object.entries(parts).map(
    ([name, state]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(state)}</td></tr>`,
  );
  const entries = Object.entries(links).map(
    ([name, path]) =>
      `<li><a href="${escapeHtml(path.replace(/^\//, ''))}">${escapeHtml(DESCRIPTIONS[name] ?? name)}</a></li>`,
  );
  const state = ready ? '<p class="well">It is ready.</p>' : '<p class="unwell">It is not ready.</p>';
  const body = `<h1>Tidemark</h1>
<p>Event tracking service: it records what users did and are on a durable log, keeps a profile of each user, and tells
which users match an audience.</p>
<h2>State</h2>
${state}
${states.length === 0 ? '' : `<table>${states.join('')}</table>`}
<h2>Where to go on</h2>
<ul>${entries.join('')}</ul>`;
  const headers = { ...SAFE, 'Content-Security-Policy': FRONT_POLICY, Vary: 'Accept' };
  return { status: 200, type: HTML, body: page('Tidemark', STYLE, body), headers };
}

/** `GET /docs`: the OpenAPI document of this service, rendered in the browser by Swagger UI, which is served from here. */
export function referencePage(): Answer {
  const head = '<link rel="stylesheet" href="docs/swagger-ui.css">';
  // Paths without a slash in front: they hold behind a proxy that puts the service below a path of its own, too.
  const body = `<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`;
  const headers = { ...SAFE, 'Content-Security-Policy': REFERENCE_POLICY };
  return { status: 200, type: HTML, body: page('Tidemark: API reference', head, body), headers };
}

/** `GET /docs/:file`: what the API reference loads, and the pages of the documentation, as they are written. */
export async function referenceFile(file: string): Promise<Answer | Refusal> {
  if (/^[a-z-]+\.md$/.test(file)) return documentation(file);
  const type = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
  if (type === undefined) return { refused: 'not-found', detail: 'The API reference has no such file.' };
  if (file === 'start.js') return { status: 200, type, body: START, headers: SAFE };
  const path = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));
  return { status: 200, type, body: await readFile(path), headers: SAFE };
}

async function documentation(file: string): Promise<Answer | Refusal> {
  const body = await readFile(new URL(`../../docs/${file}`, import.meta.url)).catch(() => undefined);
  if (body === undefined) return { refused: 'not-found', detail: 'The documentation has no such page.' };
  // Browsers show plain text, and would save Markdown.
  return { status: 200, type: 'text/plain; charset=utf-8', body, headers: SAFE };
}

const HTML = 'text/html; charset=utf-8';
const SAFE = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
const FRONT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
// Swagger UI sets styles of its own and shows icons as data.
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const FILES: Readonly<Record<string, string>> = {
  'start.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

// The document names `/` as its server: requests that are tried out go to the address that the reader has open.
const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  console: 'Web console',
  docs: 'API reference',
  openapi: 'OpenAPI document',
  health: 'Health: whether the process is up',
  readiness: 'Readiness: whether it can do its work, and the state of each part',
  metrics: 'Metrics for Prometheus',
};

const STYLE = `<style>
:root { color-scheme: light dark; --text: #1c2733; --quiet: #5b6b7a; --line: #d9e0e6; --ground: #fff; --link: #0b62a8; --well: #1a7f4b; --unwell: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa9b7; --line: #2c3843; --ground: #12181e; --link: #6cb6ff; --well: #4cc38a; --unwell: #ff8f85; }
}
body { margin: 4rem auto; max-width: 40rem; padding: 0 1.5rem; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; letter-spacing: -.02em; }
h2 { margin: 2.5rem 0 .5rem; font-size: .85rem; font-weight: 600; color: var(--quiet); }
.well, .unwell { margin: 0 0 .75rem; font-weight: 600; }
.well { color: var(--well); }
.unwell { color: var(--unwell); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem 0; border-top: 1px solid var(--line); text-align: left; font-weight: 400; }
th { width: 12rem; color: var(--quiet); }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: .35rem 0; border-top: 1px solid var(--line); }
a { color: var(--link); text-underline-offset: .2em; }
</style>`;

function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
