import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Command } from '../command.ts';
import { Caller } from './caller.ts';
import { checkSocketPath, readLine, type ControlAnswer, type ControlRequest } from './socket.ts';
import { TidemarkError } from '../errors.ts';
import type { Logger } from '../logger.ts';

export interface ControlServerOptions {
  /** A request that has not arrived whole within this time is dropped. */
  readonly requestTimeoutMs?: number;
  /** How long a client may take to read its answer, and `stop` to finish commands under way. */
  readonly answerTimeoutMs?: number;
  /** How often a line is sent to the caller of a command under way, which shows whether it is still connected. */
  readonly signOfLifeMs?: number;
}

const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 32;

/**
 * Carries out commands that arrive on the control socket. Its process has locked the socket's folder (`lockFolder`), so
 * that a socket found there is stale. For the main thread only: the socket is created under a umask.
 */
export class ControlServer {
  readonly #path: string;
  readonly #handlers: ReadonlyMap<string, Command>;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #options: Required<ControlServerOptions>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those that have not sent their request yet. */
  readonly #waiting = new Set<Socket>();
  readonly #callers = new Set<Caller>();
  #stopped: Promise<void> | undefined;

  constructor(
    path: string,
    handlers: Readonly<Record<string, Command>>,
    logger: Pick<Logger, 'warn'>,
    options: ControlServerOptions = {},
  ) {
    this.#path = path;
    this.#handlers = new Map(Object.entries(handlers));
    this.#logger = logger;
    this.#options = { requestTimeoutMs: 5_000, answerTimeoutMs: 5_000, signOfLifeMs: 1_000, ...options };
    // Half-open, so that a client may close its side as soon as it has sent its request (`nc -N`).
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws TidemarkError `CONFIG_INVALID` where the path is too long, or no socket can be made there. */
  async start(): Promise<void> {
    checkSocketPath(this.#path);
    try {
      removeStale(this.#path);
      await listen(this.#server, this.#path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new TidemarkError('CONFIG_INVALID', `There can be no control socket: ${reason}`, { cause: error });
    }
    this.#server.on('error', (error) => this.#logger.warn({ err: error }, 'the control socket failed'));
  }

  /** Takes no more requests, aborts the signals of commands under way, waits for them, removes the socket. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #close(): Promise<void> {
    if (!this.#server.listening) return;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    destroyAll(this.#waiting);
    for (const caller of this.#callers) caller.abort(new TidemarkError('STOPPING', 'The service is stopping.'));
    const timer = setTimeout(destroyAll, this.#options.answerTimeoutMs, this.#sockets);
    await closed;
    clearTimeout(timer);
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    // A client that disconnects is not an error.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    void this.#serve(socket);
  }

  async #serve(socket: Socket): Promise<void> {
    const answer = await this.#request(socket).then(
      (request) => this.#carryOut(request, new Caller(socket, this.#options.signOfLifeMs)),
      (error: unknown) => failure(error),
    );
    socket.end(`${answer}\n`);
    const timer = setTimeout(() => socket.destroy(), this.#options.answerTimeoutMs).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  async #request(socket: Socket): Promise<ControlRequest> {
    this.#waiting.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#options.requestTimeoutMs).unref();
    try {
      return parseRequest(await readLine(socket, MAX_REQUEST_BYTES));
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(socket);
    }
  }

  /** The answer as JSON. */
  async #carryOut({ command, args }: ControlRequest, caller: Caller): Promise<string> {
    this.#callers.add(caller);
    try {
      const handler = this.#handlers.get(command);
      if (handler === undefined) throw requestInvalid(`This service has no command ${JSON.stringify(command)}.`);
      const { report, signal } = caller;
      return JSON.stringify({ result: await handler(args, { report, signal }) } satisfies ControlAnswer);
    } catch (error) {
      const isOurs = error instanceof TidemarkError || caller.signal.aborted;
      if (!isOurs) this.#logger.warn({ err: error, command }, 'a command failed');
      return failure(error);
    } finally {
      this.#callers.delete(caller);
      caller.end();
    }
  }
}

function parseRequest(line: string): ControlRequest {
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch (error) {
    throw new TidemarkError('COMMAND_INVALID', 'A request is a line of JSON.', { cause: error });
  }
  if (!isRecord(request) || typeof request['command'] !== 'string') throw requestInvalid('A request names a command.');
  const { command, args = {} } = request;
  if (!isRecord(args)) throw requestInvalid('The arguments of a command are an object.');
  return { command, args };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function failure(error: unknown): string {
  const code = error instanceof TidemarkError ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ error: { ...(code && { code }), message } } satisfies ControlAnswer);
}

function requestInvalid(message: string): TidemarkError {
  return new TidemarkError('COMMAND_INVALID', message);
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is no socket`);
  unlinkSync(path);
}

async function listen(server: Server, path: string): Promise<void> {
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  // The socket is made within the call of `listen`. Without the mask others could open it until the chmod.
  const before = process.umask(0o077);
  try {
    server.listen(path, resolve);
  } finally {
    process.umask(before);
  }
  await listening;
  server.off('error', reject);
  chmodSync(path, 0o600);
}

function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
