import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { type ErrorCode, TidemarkError } from '../runtime/errors.ts';
import { hostInUrl } from '../runtime/server-url.ts';
import { renderRefusal, type ErrorStyle, type Refusal } from './problems.ts';

export interface ServerOptions {
  /** From the first byte of a request (or the opening of the connection) to the end of its head. */
  readonly headersTimeoutMs: number;
  /** From there to the end of its body. */
  readonly bodyTimeoutMs: number;
  /** How long a connection may stay idle between requests: longer than the usual proxy (60 s) keeps one. */
  readonly keepAliveTimeoutMs: number;
  /** How long a connection in use may see no byte in either direction. */
  readonly stalledTimeoutMs: number;
  /** How long a client may read none of its answer, which takes memory and a concurrency slot that others wait for. */
  readonly unreadTimeoutMs: number;
  /** How often all but the idle and the stalled are looked at: a connection is closed at most this much later. */
  readonly checkEveryMs: number;
  /** Open at once: one more is answered 503 and closed. */
  readonly maxConnections: number;
}

const SERVER_OPTIONS: ServerOptions = {
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  // Longer than the longest question may take to be answered.
  stalledTimeoutMs: 660_000,
  unreadTimeoutMs: 15_000,
  checkEveryMs: 500,
  maxConnections: 10_000,
};

type Listener = (req: IncomingMessage, res: ServerResponse) => unknown;

/** What answers requests, and how what is no request at all is refused at a path. */
export interface Answering {
  readonly listener: Listener;
  readonly styleOf: (path: string) => ErrorStyle;
}

/** What a connection is busy with. */
interface Connection {
  readonly open: Set<ServerResponse>;
  /** Not HTTP any more: to be closed, with this as its last words, when what was accepted has been answered. */
  broken: Refusal | undefined;
  /** Bytes that the system took for its client, -1 while nothing waits; and in how many looks since not one more. */
  taken: number;
  untaken: number;
}

/** Listens, keeps slow and broken clients from holding anything, and stops without dropping an accepted request. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #listener: Listener;
  #styleOf: (path: string) => ErrorStyle;
  readonly #options: ServerOptions;
  readonly #watch: NodeJS.Timeout;
  #refusedConnections = 0;
  #unreadConnections = 0;
  #closing: Promise<void> | undefined;

  constructor({ listener, styleOf }: Answering, given: Partial<ServerOptions> = {}) {
    const options = { ...SERVER_OPTIONS, ...given };
    this.#listener = listener;
    this.#styleOf = styleOf;
    this.#server = createServer({
      // Node counts `requestTimeout` from the first byte too, so it has to hold both.
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.headersTimeoutMs + options.bodyTimeoutMs,
      connectionsCheckingInterval: options.checkEveryMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      noDelay: true,
      // Node's own refusal has no body; the app checks this itself.
      requireHostHeader: false,
    });
    this.#options = options;
    this.#watch = setInterval(() => this.#cutUnread(), options.checkEveryMs).unref();
    this.#server.timeout = options.stalledTimeoutMs;
    const onRequest = (req: IncomingMessage, res: ServerResponse): void => this.#onRequest(req, res);
    this.#server.on('request', onRequest);
    // The reader of bodies asks for the body with a 100 when it wants it: what is refused before need not be sent.
    this.#server.on('checkContinue', onRequest);
    this.#server.on('checkExpectation', onRequest);
    this.#server.on('connection', (socket) => this.#onConnection(socket));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#onClientError(error, socket as Socket),
    );
    this.#server.on('connect', (_req, socket) => lastWords(socket as Socket, CONNECT_REFUSED, 'problem'));
  }

  /**
   * Resolves with where it listens: port 0 takes a free one.
   *
   * @throws TidemarkError `ADDRESS_IN_USE`; `CONFIG_INVALID` if the address cannot be listened on, or this user may not.
   */
  async listen(host: string, port: number): Promise<AddressInfo> {
    await bind(this.#server, host, port);
    return this.#server.address() as AddressInfo;
  }

  /** Resolves once it listens on a Unix socket made at this path. Whoever calls it sees to who may open the socket. */
  async listenOn(path: string): Promise<void> {
    await once(this.#server.listen(path), 'listening');
  }

  /** From now on requests are answered by this. */
  answerBy({ listener, styleOf }: Answering): void {
    this.#listener = listener;
    this.#styleOf = styleOf;
  }

  /** Requests accepted and not yet answered. */
  get openRequests(): number {
    let count = 0;
    for (const { open } of this.#connections.values()) count += open.size;
    return count;
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  /** Connections that were one too many, so far. */
  get refusedConnections(): number {
    return this.#refusedConnections;
  }

  /** Connections closed because their client did not read, so far. */
  get unreadConnections(): number {
    return this.#unreadConnections;
  }

  /**
   * Stops accepting, closes idle connections at once and the others with the answer to what they have sent. After
   * `withinMs` the rest is cut. Idempotent.
   */
  close(withinMs: number): Promise<void> {
    this.#closing ??= this.#close(withinMs);
    return this.#closing;
  }

  async #close(withinMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const [socket, { open }] of this.#connections) {
      if (open.size === 0) socket.destroy();
      for (const res of open) res.shouldKeepAlive = false;
    }
    const timer = setTimeout(() => this.#server.closeAllConnections(), withinMs);
    await closed;
    clearTimeout(timer);
    clearInterval(this.#watch);
  }

  #onConnection(socket: Socket): void {
    if (this.#connections.size >= this.#options.maxConnections) {
      this.#refusedConnections++;
      lastWords(socket, TOO_MANY_CONNECTIONS, 'problem');
      return;
    }
    this.#connections.set(socket, { open: new Set(), broken: undefined, taken: -1, untaken: 0 });
    socket.once('close', () => this.#connections.delete(socket));
  }

  // Counts checks, not time: while this process stands still, nobody is sent anything.
  /** Closes connections whose client reads nothing. A client that waits for a slow answer, or reads slowly, stays open. */
  #cutUnread(): void {
    for (const [socket, connection] of this.#connections) {
      const taken = socket.writableLength === 0 ? -1 : socket.bytesWritten - socket.writableLength;
      if (taken === -1 || taken !== connection.taken) {
        connection.taken = taken;
        connection.untaken = 0;
      } else if (++connection.untaken * this.#options.checkEveryMs >= this.#options.unreadTimeoutMs) {
        this.#unreadConnections++;
        socket.destroy();
      }
    }
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const connection = this.#connections.get(socket);
    // The connection was refused, or cut.
    if (connection === undefined) return;
    connection.open.add(res);
    if (this.#closing !== undefined) res.shouldKeepAlive = false;
    res.on('close', () => {
      connection.open.delete(res);
      this.#whenAnswered(socket, connection);
    });
    this.#listener(req, res);
  }

  #whenAnswered(socket: Socket, { open, broken }: Connection): void {
    if (broken !== undefined) {
      if (unfinishedOf(open).length === open.size) lastWords(socket, broken, 'problem');
    } else if (open.size === 0 && this.#closing !== undefined) {
      // An answer whose head was out before the stop began did not say that the connection would close.
      socket.end();
    }
  }

  /**
   * Bytes that are no HTTP, or a request that took too long. They may follow requests that are still being answered:
   * those get their answers first, for an error written now would be taken for the answer of the oldest.
   */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || connection === undefined) {
      socket.destroy();
      return;
    }
    const refusal = refusalOfClientError(error);
    const unfinished = unfinishedOf(connection.open);
    if (connection.open.size > unfinished.length) {
      connection.broken = refusal;
    } else if (unfinished.some(({ headersSent }) => headersSent)) {
      socket.destroy();
    } else {
      lastWords(socket, refusal, this.#styleOf(unfinished[0]?.req.url ?? '/'));
    }
  }
}

/** Throws what `HttpServer.listen` would, for a process whose children are to listen there. */
export async function checkAddress(host: string, port: number): Promise<void> {
  const server = createTcpServer();
  await bind(server, host, port);
  await new Promise((resolve) => server.close(resolve));
}

function bind(server: TcpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(bindingError(error, host, port));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function bindingError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const refused = (code: ErrorCode, message: string): Error => new TidemarkError(code, message, { cause });
  if (cause.code === 'EADDRINUSE') {
    return refused('ADDRESS_IN_USE', `Port ${port} of ${host} is taken by another process: stop it, or set PORT.`);
  }
  if (cause.code === 'EACCES') return refused('CONFIG_INVALID', `PORT: this user may not listen on port ${port}.`);
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return refused('CONFIG_INVALID', `HOST: ${host} is no address of this machine.`);
  }
  return cause;
}

/** Where a server listens, as a URL. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  return `http://${hostInUrl(address)}:${port}`;
}

/** The requests whose bodies have not arrived whole. */
function unfinishedOf(open: ReadonlySet<ServerResponse>): ServerResponse[] {
  return [...open].filter(({ req }) => !req.complete);
}

const TOO_MANY_CONNECTIONS: Refusal = {
  refused: 'unavailable',
  detail: 'As many connections as this process may hold are open. Send the same request again later.',
};

const CONNECT_REFUSED: Refusal = { refused: 'method-not-allowed', detail: 'This is no proxy.', allow: 'GET, POST' };

function refusalOfClientError({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { refused: 'headers-too-large', detail: 'The head of the request is over 16 KB.' };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { refused: 'timeout', detail: 'The request did not arrive in time.' };
  }
  return { refused: 'malformed-request', detail: 'This is not a valid HTTP/1.1 request.' };
}

/** Writes an answer to a connection that has no request to answer, and closes it. */
function lastWords(socket: Socket, refusal: Refusal, style: ErrorStyle): void {
  const { status, type, headers, body } = renderRefusal(refusal, style);
  const lines = Object.entries({
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable) {
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  }
  socket.destroySoon();
}
