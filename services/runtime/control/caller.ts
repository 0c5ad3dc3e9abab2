import type { Socket } from 'node:net';
import type { Progress } from '../command.ts';
import { CANCEL, type ControlLine, SIGN_OF_LIFE } from './socket.ts';
import { TidemarkError } from '../errors.ts';

/**
 * The client at the other end of the control socket, which waits for the result of a command. It may have closed its side
 * for writing and still read. Only a write shows that it has disconnected, so an empty line is sent at an interval.
 */
export class Caller {
  readonly signal: AbortSignal;
  readonly #socket: Socket;
  readonly #aborting = new AbortController();
  readonly #beating: NodeJS.Timeout;
  /** The latest progress, while the socket's buffer is full. */
  #latest: string | undefined;
  #hasEnded = false;

  constructor(socket: Socket, signOfLifeMs: number) {
    this.#socket = socket;
    this.signal = this.#aborting.signal;
    socket.on('data', this.#hear).on('drain', this.#drained).once('close', this.#gone);
    this.#beating = setInterval(() => this.#send(SIGN_OF_LIFE), signOfLifeMs).unref();
    if (socket.destroyed) this.#gone();
  }

  readonly report = (progress: Progress): void => {
    const line = JSON.stringify({ progress } satisfies ControlLine);
    this.#latest = this.#send(line) ? undefined : line;
  };

  abort(reason: TidemarkError): void {
    this.#aborting.abort(reason);
  }

  /** The command has its result; nothing is sent any more. */
  end(): void {
    if (this.#latest !== undefined && this.#socket.writable) this.#socket.write(`${this.#latest}\n`);
    this.#hasEnded = true;
    clearInterval(this.#beating);
    this.#socket.off('data', this.#hear).off('drain', this.#drained).off('close', this.#gone).resume();
  }

  /** False where the line would only be buffered in this process. */
  #send(line: string): boolean {
    if (this.#hasEnded || !this.#socket.writable || this.#socket.writableNeedDrain) return false;
    this.#socket.write(`${line}\n`);
    return true;
  }

  readonly #drained = (): void => {
    if (this.#latest === undefined || !this.#send(this.#latest)) return;
    this.#latest = undefined;
  };

  readonly #hear = (chunk: Buffer): void => {
    if (chunk.includes(CANCEL)) this.abort(new TidemarkError('STOPPING', 'The caller gave the command up.'));
  };

  readonly #gone = (): void => this.abort(new TidemarkError('STOPPING', 'The caller of the command went away.'));
}
