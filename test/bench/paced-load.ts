/**
 * Requests at a fixed rate, evenly spaced, over keep-alive connections: what autocannon's own rate is not, which sends each
 * second's share as fast as it can at the second's start. On bare sockets, because an HTTP client of Node's takes more of
 * the processor than the servers that are measured. Reads a `PacedLoad` from its first argument, prints a `PacedReport`.
 */
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import type { PacedLoad } from './load.ts';

export interface PacedReport {
  readonly answered: number;
  /** Answers that were not 2xx, and what was never answered. */
  readonly errors: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly longestUs: number;
}

const TICK_MS = 1;
/** A request that is not answered this long after the last was sent is an error. */
const PATIENCE_MS = 10_000;
const ANSWER = /^HTTP\/1\.1 (\d)[^]*?\r\ncontent-length: (\d+)\r\n[^]*?\r\n\r\n/i;

const load = JSON.parse(process.argv[2] ?? '') as PacedLoad;
const { url, headers, connections, seconds, rate, warmUpSeconds } = load;
const { hostname, port, host, pathname } = new URL(url);
const REQUESTS = (load.inTurn ?? [{ path: pathname, body: load.body }]).map(({ path, body }) => {
  const lines = Object.entries({ ...headers, host, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
});

const latencyUs = createHistogram();
const warmingUp = Math.round(rate * warmUpSeconds);
const measured = Math.round(rate * seconds);
const total = warmingUp + measured;
let [sent, settled, answered] = [0, 0, 0];
const free: Socket[] = [];
/** The requests, by number, that no connection is free for yet. */
const waiting: number[] = [];
/** By connection the request that it carries. */
const carried = new Map<Socket, number>();

function post(socket: Socket, request: number): void {
  carried.set(socket, request);
  socket.write(REQUESTS[request % REQUESTS.length] ?? '');
}

function settle(socket: Socket, isAnswered: boolean): void {
  const request = carried.get(socket);
  carried.delete(socket);
  if (request === undefined) return;
  settled++;
  if (request < warmingUp) return;
  if (isAnswered) answered++;
  // From when it was due: a wait for a free connection, or for this process, counts.
  const dueMs = startedMs + (request * 1000) / rate;
  latencyUs.record(Math.max(1, Math.round((performance.now() - dueMs) * 1000)));
}

function open(): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const [start, status, length] = ANSWER.exec(text) ?? [];
    if (start === undefined || text.length < start.length + Number(length)) return;
    text = '';
    settle(socket, status === '2');
    const next = waiting.shift();
    if (next === undefined) free.push(socket);
    else post(socket, next);
  });
  socket.on('error', reject);
  socket.on('close', () => settle(socket, false));
  return promise;
}

free.push(...(await Promise.all(Array.from({ length: connections }, open))));
const startedMs = performance.now();
const ticker = setInterval(() => {
  const nowMs = performance.now();
  for (; sent < Math.min(total, ((nowMs - startedMs) * rate) / 1000); sent++) {
    const socket = free.shift();
    if (socket === undefined) waiting.push(sent);
    else post(socket, sent);
  }
  const isOver = settled === total || nowMs > startedMs + (total * 1000) / rate + PATIENCE_MS;
  if (isOver) finish();
}, TICK_MS);

function finish(): void {
  clearInterval(ticker);
  const [p50Us, p99Us] = [latencyUs.percentile(50), latencyUs.percentile(99)];
  console.log(
    JSON.stringify({
      answered,
      errors: measured - answered,
      p50Us,
      p99Us,
      longestUs: latencyUs.max,
    } satisfies PacedReport),
  );
  for (const socket of [...free, ...carried.keys()]) socket.destroy();
}
