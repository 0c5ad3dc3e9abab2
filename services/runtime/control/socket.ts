/**
 * How the command line talks to a running service on the same machine: a Unix socket that only the service's own user
 * can open. One request per connection: a line of JSON `{"command", "args"}`, answered by a line `{"result"}` or
 * `{"error": {"code", "message"}}`. Before it there may be lines `{"progress"}`, and empty ones that show that the
 * service is alive. A caller cancels a command with a line `{"cancel":true}`, or by disconnecting. `server.ts` and
 * `client.ts` are the two ends.
 */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { CommandArguments, Progress } from '../command.ts';
import { TidemarkError, type ErrorCode } from '../errors.ts';

export interface ControlRequest {
  readonly command: string;
  readonly args: CommandArguments;
}

/** An error without a code is not a TidemarkError. */
export type ControlAnswer =
  { readonly result?: unknown } | { readonly error: { readonly code?: ErrorCode; readonly message: string } };

/** What the service sends, a line each. */
export type ControlLine = ControlAnswer | { readonly progress: Progress };

export const SIGN_OF_LIFE = '';
export const CANCEL = '{"cancel":true}';

/** The socket of the service whose data folder this is. */
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

/** The first line, without its line feed. What follows is discarded. Rejects where the line is too long or never ends. */
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

/** Line by line, without their ends, until the other side closes. Throws where a line is too long. */
export async function* linesOf(socket: Socket, maxBytes: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      [begun, bytes, from] = [[], 0, end + 1];
    }
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) throw new TidemarkError('COMMAND_INVALID', `More than ${maxBytes} bytes in a line.`);
  }
}
