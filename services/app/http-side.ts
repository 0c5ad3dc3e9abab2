/** Everything that answers HTTP, on one server: ingest, the query API, and health, metrics and the OpenAPI document. */
import { answeringBy } from '../http/app.ts';
import { countConnections } from '../http/http-metrics.ts';
import { LocalServer } from '../http/local-server.ts';
import type { HttpServer } from '../http/server.ts';
import type { BoundServer } from '../http/starting.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { REQUESTS_END_AFTER_MS } from '../runtime/watchdog/stop-times.ts';
import { assemble, type Assembled, close, type HttpSideParts, refresh } from './http-parts.ts';
import { appOf } from './http-routes.ts';

/** Connections of operators to the control socket, from the descriptors that `MAX_CONNECTIONS` leaves. */
const LOCAL_CONNECTIONS = 100;

export class HttpSide {
  /** `http://HOST:PORT` with the port that was bound. */
  readonly address: string;
  readonly #assembled: Assembled;
  readonly #server: HttpServer;
  readonly #local: LocalServer | undefined;
  #stopping: Promise<void> | undefined;

  private constructor(assembled: Assembled, { server, address }: BoundServer, local: LocalServer | undefined) {
    this.#assembled = assembled;
    this.#server = server;
    this.#local = local;
    this.address = address;
  }

  /** Resolves once it answers. Where it throws, the server is closed. */
  static async open(parts: HttpSideParts): Promise<HttpSide> {
    const { bound, storesAreOpen, localSocket } = parts;
    let assembled: Assembled | undefined;
    try {
      assembled = await assemble(parts);
      if (storesAreOpen) await refresh(assembled);
      // Not before: connections are counted in the registry of this process's routes, which the starting server has not.
      countConnections(parts.registry, bound.server);
      const app = appOf(parts, assembled);
      const local =
        localSocket === undefined
          ? undefined
          : await LocalServer.open(app, localSocket, { maxConnections: LOCAL_CONNECTIONS });
      // The socket has what operates the installation in any case.
      const table = parts.config.isAdminOnPort ? app.table : app.table.without('admin');
      bound.server.answerBy(answeringBy({ ...app, table }));
      assembled.ingest.openOffload();
      return new HttpSide(assembled, bound, local);
    } catch (error) {
      await bound.server.close(0);
      if (assembled !== undefined) await close(assembled);
      throw error;
    }
  }

  /** Reads the keys and looks at every part now, and continues to do so. */
  refresh(): Promise<void> {
    return refresh(this.#assembled);
  }

  get isClockWrong(): boolean {
    return this.#assembled.ingest.isClockSkewed;
  }

  /** @throws TidemarkError `CONFIG_INVALID` while the clock of this machine is in doubt. */
  expectClock(): void {
    if (!this.isClockWrong) return;
    throw new TidemarkError('CONFIG_INVALID', 'The clock of this machine is wrong. Begin again when /readyz is ready.');
  }

  /** Stops accepting and finishes what was accepted. Log and stores are closed by whoever opened them. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#assembled.watch.stop();
    this.#assembled.changesWatch.stop();
    this.#assembled.listening.abort();
    await Promise.all([this.#server.close(REQUESTS_END_AFTER_MS), this.#local?.close(REQUESTS_END_AFTER_MS)]);
    await close(this.#assembled);
  }
}
