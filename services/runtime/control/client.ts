import { connect, type Socket } from 'node:net';
import type { CommandArguments, Progress } from '../command.ts';
import { CANCEL, checkSocketPath, type ControlAnswer, type ControlLine, linesOf } from './socket.ts';
import { TidemarkError } from '../errors.ts';

export interface AskControlOptions {
  /** How long to wait for a line; a service that carries out a command sends one every second. */
  readonly timeoutMs?: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Cancels the command. Its end is awaited for some seconds, so that it does not continue after the client. */
  readonly signal?: AbortSignal | undefined;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const CANCEL_WITHIN_MS = 5_000;

/**
 * Has a running service carry out a command, and resolves with its result.
 *
 * @throws TidemarkError what the command threw; `CONTROL_UNAVAILABLE`, retryable, where no service listens;
 *   `CONTROL_LOST` where it did not answer, so that the command may or may not have been carried out; the signal's
 *   reason where that has ended it.
 */
export async function askControl(
  path: string,
  command: string,
  args: CommandArguments,
  { timeoutMs = 60_000, onProgress, signal }: AskControlOptions = {},
): Promise<unknown> {
  checkSocketPath(path);
  signal?.throwIfAborted();
  const socket = await connectTo(path);
  const disconnect = (): void => void socket.destroy();
  let timeout = setTimeout(disconnect, timeoutMs);
  const cancel = (): void => {
    socket.write(`${CANCEL}\n`);
    clearTimeout(timeout);
    timeout = setTimeout(disconnect, CANCEL_WITHIN_MS);
  };
  const onLine = (): void => {
    if (signal?.aborted !== true) timeout.refresh();
  };
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    socket.write(`${JSON.stringify({ command, args })}\n`);
    return resultOf(await readAnswer(socket, onLine, onProgress).catch(lost));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(timeout);
    socket.destroy();
  }
}

async function connectTo(path: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(path).once('connect', resolve).on('error', reject);
  try {
    await promise;
    return socket;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TidemarkError('CONTROL_UNAVAILABLE', `No service answers on its control socket: ${reason}`, {
      cause: error,
    });
  }
}

async function readAnswer(
  socket: Socket,
  onLine: () => void,
  onProgress: AskControlOptions['onProgress'],
): Promise<ControlAnswer> {
  for await (const text of linesOf(socket, MAX_ANSWER_BYTES)) {
    onLine();
    if (text === '') continue;
    const line = JSON.parse(text) as ControlLine;
    if (!('progress' in line)) return line;
    onProgress?.(line.progress);
  }
  throw new Error('The connection ended before the answer.');
}

function resultOf(answer: ControlAnswer): unknown {
  if (!('error' in answer)) return answer.result;
  const { code, message } = answer.error;
  throw code === undefined ? new Error(message) : new TidemarkError(code, message);
}

function lost(cause: unknown): never {
  throw new TidemarkError('CONTROL_LOST', 'The service did not answer; it may have carried out the command.', {
    cause,
  });
}
