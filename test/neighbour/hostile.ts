/**
 * One project that does everything at once that could be in the way of others, for some seconds: traits by the ten
 * thousand, questions half sent, pages that nobody reads, receipts made up by hand, audiences by the hundred. Reads
 * `HostileLoad` from its first argument; prints what it was answered, by attack and status.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgedReceipt } from './forged-receipt.ts';

export interface HostileLoad {
  readonly url: string;
  readonly projectId: string;
  readonly writeKey: string;
  readonly readKey: string;
  readonly seconds: number;
}

/** By attack and status; `none` where there was no answer, `cut` where the server closed a connection. */
export type HostileAnswers = Readonly<Record<string, number>>;

const { url, projectId, writeKey, readKey, seconds } = JSON.parse(process.argv[2] ?? '') as HostileLoad;
const { hostname, port } = new URL(url);
const untilMs = performance.now() + seconds * 1_000;
const answers: Record<string, number> = {};

const HALF_SENT = 200;
const UNREAD = 64;
const WAITING = 500;
const AUDIENCES = 150;
const WIDE_TRAITS = 45_000;
const TRAITS_A_MESSAGE = 9_000;
const LARGE_EVENTS = 150;
const ORDERS = 5_000;
const PATIENCE_MS = 60_000;

const liveLongText = { any: [450, 449, 448].map((times) => ({ trait: 'text', matches: `(?:a?){${times}}[bc]` })) };

await ask('live audience', 'POST', '/v1/audiences', readKey, {
  name: 'Long text',
  definition: liveLongText,
  refresh: 'live',
});
await ask('large events', 'POST', '/v1/batch', writeKey, largeEvents());
await Promise.all([
  ...Array.from({ length: HALF_SENT }, () => again(() => halfSent())),
  ...Array.from({ length: UNREAD }, () => again(() => unread())),
  ...Array.from({ length: WAITING }, () => again(() => waitForReceipt())),
  again(wideIdentify),
  again(manyAudiences),
  again(largePatterns),
  again(longText),
  again(datedOrders),
]);
process.stdout.write(`${JSON.stringify(answers satisfies HostileAnswers)}\n`);
process.exit();

async function again(attack: () => Promise<void>): Promise<void> {
  while (performance.now() < untilMs) await attack().catch(() => count('none'));
}

function count(what: string): void {
  answers[what] = (answers[what] ?? 0) + 1;
}

/** Half a megabyte of traits of one user, never the same ones: each is merged into all those before. */
async function wideIdentify(): Promise<void> {
  const batch = Array.from({ length: WIDE_TRAITS / TRAITS_A_MESSAGE }, () => {
    const names = Array.from({ length: TRAITS_A_MESSAGE }, () => Math.random().toString(36).slice(2, 7));
    return { type: 'identify', user_id: 'wide', traits: Object.fromEntries(names.map((name) => [name, 1])) };
  });
  await ask('wide identify', 'POST', '/v1/batch', writeKey, { batch });
  await sleep(1_000);
}

async function manyAudiences(): Promise<void> {
  for (let index = 0; index < AUDIENCES; index++) {
    const count = { at_least: 1 + (index % 7) };
    const definition = { any: Array.from({ length: 20 }, () => ({ event: 'Large', count })) };
    const audience = { name: `Audience ${index}`, definition, refresh: '1m' };
    await ask('audience', 'POST', '/v1/audiences', readKey, audience);
  }
  await sleep(10_000);
}

/** Questions of 32 KB of patterns: too large to be compiled, or long to compile. */
async function largePatterns(): Promise<void> {
  for (const pattern of ['(a*){0,999}'.repeat(46), '.{0,1000}'.repeat(51), '(?i)[a-\\x{10ffff}]'.repeat(27)]) {
    const any = Array.from({ length: 58 }, (_, index) => ({ trait: 'text', matches: `${pattern}${index}` }));
    for (const path of ['/v1/audiences/preview', '/v1/audiences', '/v1/audiences/why', '/v1/events/query']) {
      const body = path === '/v1/events/query' ? { users: { any } } : { definition: { any } };
      const more = { '/v1/audiences': { name: 'Patterns' }, '/v1/audiences/why': { user_id: 'long' } }[path];
      await ask('large patterns', 'POST', path, readKey, { ...body, ...more });
    }
  }
}

/** A text as long as a batch may have, tested by patterns of many states: when it is asked about, and live. */
async function longText(): Promise<void> {
  const user_id = 'long';
  const batch = [{ type: 'identify', user_id, traits: { text: 'a'.repeat(480_000) } }];
  await ask('long text', 'POST', '/v1/batch', writeKey, { batch });
  await ask('patterns of a long text', 'POST', '/v1/audiences/why', readKey, { user_id, definition: liveLongText });
  await ask('track', 'POST', '/v1/track', writeKey, { user_id, event: 'Large' });
  await sleep(1_000);
}

/** Thousands of orders with dates that come up: a live audience asks about them with each message, and `why` does. */
async function datedOrders(): Promise<void> {
  const has = [
    { property: 'due', date: { next: '7d' } },
    { property: 'state', is: 'open' },
  ];
  const definition = { trait: 'orders', has };
  await ask('live audience', 'POST', '/v1/audiences', readKey, { name: 'Due soon', definition, refresh: 'live' });
  const orders = Array.from({ length: ORDERS }, (_, index) => {
    return { due: new Date(Date.now() + (8 * 24 + index) * 3_600_000).toISOString(), state: 'open' };
  });
  const batch = [{ type: 'identify', user_id: 'orders', traits: { orders } }];
  await ask('dated orders', 'POST', '/v1/batch', writeKey, { batch });
  await ask('why', 'POST', '/v1/audiences/why', readKey, { user_id: 'orders', definition });
  await sleep(1_000);
}

/** A receipt that nobody gave, naming places that no log has, and a wait for all of them. */
async function waitForReceipt(): Promise<void> {
  await ask('forged receipt', 'GET', `/v1/receipts/${forgedReceipt(projectId)}?wait=30`, readKey);
  await sleep(1_000);
}

async function ask(what: string, method: string, path: string, key: string, body?: object): Promise<void> {
  const response = await fetch(url + path, {
    method,
    headers: { api_key: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  count(`${what} ${response.status}`);
  await response.arrayBuffer();
}

/** The head of a question and the first bytes of its body; then nothing, until the server has had enough. */
async function halfSent(): Promise<void> {
  const head = `POST /v1/audiences/preview HTTP/1.1\r\nhost: ${hostname}\r\napi_key: ${readKey}\r\n`;
  const socket = opened(`${head}content-type: application/json\r\ncontent-length: 30000\r\n\r\n{"definition":`);
  socket.on('data', () => undefined);
  await closed(socket);
  count('half-sent question cut');
}

async function unread(): Promise<void> {
  const path = '/v1/users/large/events?limit=1000';
  const socket = opened(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\napi_key: ${readKey}\r\n\r\n`);
  socket.pause();
  await closed(socket);
  count('unread page cut');
}

function opened(bytes: string): Socket {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

/** Resolves once the server has closed it, or this load is over. */
async function closed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
  socket.once('close', () => resolve());
  socket.once('end', () => resolve());
  await promise;
  clearTimeout(timer);
  socket.destroy();
  // A server that closes at once must not make this a busy loop.
  await sleep(500);
}

/** More than a page that is read may hold in the system's buffers. */
function largeEvents(): object {
  const batch = Array.from({ length: LARGE_EVENTS }, () => {
    return { type: 'track', user_id: 'large', event: 'Large', properties: { note: 'x'.repeat(3_000) } };
  });
  return { batch };
}
