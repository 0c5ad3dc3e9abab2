/** HTTP on a Unix socket that only its owner can open. */
import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkSocketPath } from '../runtime/control-socket.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { answeringBy, type AppParts } from './app.ts';
import { HttpServer, type ServerOptions } from './server.ts';

const OWNER_ONLY = 0o700;

// Together no longer than `control.sock`, so that a path that fits there fits here.
const PRIVATE_FOLDER = '.control';
const NEW_SOCKET = 's';

export class LocalServer {
  readonly #server: HttpServer;
  readonly #path: string;

  private constructor(server: HttpServer, path: string) {
    this.#server = server;
    this.#path = path;
  }

  /**
   * Answers on a socket at this path. The process has locked the folder of the socket (`lockFolder`), so a socket that is
   * found there is stale.
   *
   * @throws TidemarkError `CONFIG_INVALID` where the path is too long, or no socket can be made there.
   */
  static async open(parts: AppParts, path: string, options: Partial<ServerOptions> = {}): Promise<LocalServer> {
    checkSocketPath(path);
    const answering = answeringBy(parts, { isLocal: true });
    const server = new HttpServer(answering, options);
    try {
      await listen(server, path);
      return new LocalServer(server, path);
    } catch (error) {
      await server.close(0);
      const reason = error instanceof Error ? error.message : String(error);
      throw new TidemarkError('CONFIG_INVALID', `There can be no control socket: ${reason}`, { cause: error });
    }
  }

  /** Removes the socket, and answers what was accepted. Idempotent. */
  async close(withinMs: number): Promise<void> {
    removeSocket(this.#path);
    await this.#server.close(withinMs);
  }
}

/**
 * The socket is made in a folder that is closed to others, and moved to its path once it is closed too: a umask belongs
 * to the whole process, and a thread cannot set it.
 */
async function listen(server: HttpServer, path: string): Promise<void> {
  const folder = join(dirname(path), PRIVATE_FOLDER);
  const made = join(folder, NEW_SOCKET);
  removeSocket(path);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: OWNER_ONLY });
  await server.listenOn(made);
  chmodSync(made, 0o600);
  renameSync(made, path);
  rmdirSync(folder);
}

function removeSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is no socket`);
  unlinkSync(path);
}
