import { connect, type Socket } from 'node:net';
import { checkSocketPath, readLine, type ControlAnswer, type ControlRequest } from './control-socket.ts';
import { TidemarkError } from './errors.ts';

export interface AskControlOptions {
  /** How long to wait for the answer. */
  readonly timeoutMs?: number;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Has a running service carry out a command, and resolves with its result.
 *
 * @throws TidemarkError what the command threw; `CONTROL_UNAVAILABLE`, retryable, where no service listens;
 *   `CONTROL_LOST` where it did not answer, so that the command may or may not have been carried out.
 */
export async function askControl(
  path: string,
  command: string,
  args: ControlRequest['args'],
  { timeoutMs = 60_000 }: AskControlOptions = {},
): Promise<unknown> {
  checkSocketPath(path);
  const socket = await open(path);
  const late = setTimeout(() => socket.destroy(), timeoutMs);
  try {
    socket.write(`${JSON.stringify({ command, args })}\n`);
    return resultOf(await readLine(socket, MAX_ANSWER_BYTES).catch(lost));
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}

async function open(path: string): Promise<Socket> {
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

function resultOf(line: string): unknown {
  const answer = parse(line);
  if (!('error' in answer)) return answer.result;
  const { code, message } = answer.error;
  throw code === undefined ? new Error(message) : new TidemarkError(code, message);
}

function parse(line: string): ControlAnswer {
  try {
    return JSON.parse(line) as ControlAnswer;
  } catch (error) {
    return lost(error);
  }
}

function lost(cause: unknown): never {
  throw new TidemarkError('CONTROL_LOST', 'The service did not answer; it may have carried out the command.', {
    cause,
  });
}
