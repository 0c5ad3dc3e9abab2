/**
 * How the command line talks to a running service on the same machine: a Unix socket that only the service's own user
 * can open. One request a connection: a line of JSON `{"command", "args"}`, answered by a line `{"result"}` or
 * `{"error": {"code", "message"}}`. `control-server.ts` and `control-client.ts` are its two ends.
 */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { TidemarkError, type ErrorCode } from './errors.ts';

export interface ControlRequest {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An error without a code is none of ours. */
export type ControlAnswer =
  { readonly result?: unknown } | { readonly error: { readonly code?: ErrorCode; readonly message: string } };

/** The socket of the service whose data lie in this folder. */
export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock');
}

// What `sockaddr_un` holds, less the closing NUL. Past it a path is cut off or refused obscurely.
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** @throws TidemarkError `CONFIG_INVALID` where the path is longer than that of a socket can be. */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return;
  throw new TidemarkError(
    'CONFIG_INVALID',
    `The path of the control socket is ${bytes} bytes long and may be ${MAX_PATH_BYTES}: choose a shorter DATA_DIR than that of ${path}.`,
  );
}

/** The first line, without its end. What follows it is thrown away. Rejects where it is too long or never ends. */
export function readLine(socket: Socket, maxBytes: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = (chunk: Buffer): void => {
    const end = chunk.indexOf('\n');
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    chunks.push(part);
    bytes += part.length;
    if (bytes > maxBytes) reject(new TidemarkError('COMMAND_INVALID', `More than ${maxBytes} bytes in a line.`));
    else if (end >= 0) resolve(Buffer.concat(chunks).toString());
  };
  const broken = (): void => reject(new Error('The connection ended within a line.'));
  socket.on('data', read).once('end', broken).once('error', broken).once('close', broken);
  return promise.finally(() => {
    socket.off('data', read).off('end', broken).off('error', broken).off('close', broken).resume();
  });
}
