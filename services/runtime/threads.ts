/**
 * Calls between two threads of the process: an object's methods served on one side of a port, a stand-in for it on the
 * other. Arguments and results are cloned (structured clone: bigint, Map and bytes pass, functions do not); an error
 * arrives as a TidemarkError with its code, or as an Error with its message. A result that is an async iterable arrives
 * as one, and each member is requested when the other side wants it: nothing is read ahead. What the reader passes to
 * `next` arrives there.
 */
import type { MessagePort } from 'node:worker_threads';
import { TidemarkError, type ErrorCode } from './errors.ts';
import { type AnyMethod, standInFor } from './stand-in.ts';

interface Call {
  readonly id: number;
  readonly target: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface SentError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
}

type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly streams: true }
  | { readonly id: number; readonly error: SentError };

/** The target of calls to streams that are results of earlier calls. A stream has the id of its call. */
const STREAM = '\0stream';

/** Answers the calls that arrive on `port` with the methods of `targets`, by name, until the port is closed. */
export function serveCalls(port: MessagePort, targets: Readonly<Record<string, object>>): void {
  const streams = new ServedStreams();
  port.on('message', (call: Call) => {
    void answerCall({ ...targets, [STREAM]: streams }, call, streams).then((reply) => port.postMessage(reply));
  });
  // No reader is left.
  port.on('close', () => streams.close());
}

async function answerCall(
  targets: Readonly<Record<string, object>>,
  call: Call,
  streams: ServedStreams,
): Promise<Answer> {
  try {
    const target = targets[call.target] as Record<string, AnyMethod> | undefined;
    const method = target?.[call.method];
    if (typeof method !== 'function') throw new Error(`nothing serves ${call.target}.${call.method}`);
    const result = await method.apply(target, [...call.args]);
    if (!isAsyncIterable(result)) return { id: call.id, result };
    streams.add(call.id, result);
    return { id: call.id, streams: true };
  } catch (error) {
    return { id: call.id, error: toSentError(error) };
  }
}

/** The streams that were results and have not ended. */
class ServedStreams {
  readonly #iterators = new Map<number, AsyncIterator<unknown, unknown, unknown>>();

  add(id: number, stream: AsyncIterable<unknown>): void {
    this.#iterators.set(id, stream[Symbol.asyncIterator]());
  }

  /** The next member, or that there is none. */
  async next(id: number, passed?: unknown): Promise<IteratorResult<unknown>> {
    const iterator = this.#iterators.get(id);
    if (iterator === undefined) return { done: true, value: undefined };
    try {
      const result = await iterator.next(passed);
      if (result.done === true) this.#iterators.delete(id);
      return result;
    } catch (error) {
      this.#iterators.delete(id);
      throw error;
    }
  }

  /** The reader wants no more. */
  async return(id: number): Promise<void> {
    const iterator = this.#iterators.get(id);
    this.#iterators.delete(id);
    await iterator?.return?.();
  }

  close(): void {
    for (const id of this.#iterators.keys()) void this.return(id).catch(() => undefined);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function toSentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { code: undefined, message: String(error), stack: undefined };
  const code = error instanceof TidemarkError ? error.code : undefined;
  return { code, message: error.message, stack: error.stack };
}

/** The calling side of a port. */
export class Caller {
  readonly #port: MessagePort;
  readonly #pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (reply: Answer) => this.#finish(reply));
  }

  /** A stand-in for the object served under this name: every method of `T` must be asynchronous. */
  standIn<T extends object>(target: string): T {
    return standInFor<T>((method, args) => this.#call(target, method, args));
  }

  /** Rejects what is under way and every later call. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }

  #call(target: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      const call: Call = { id, target, method, args };
      this.#port.postMessage(call);
    });
  }

  #finish(reply: Answer): void {
    const waiting = this.#pending.get(reply.id);
    if (waiting === undefined) return;
    this.#pending.delete(reply.id);
    if ('error' in reply) waiting.reject(fromSentError(reply.error));
    else waiting.resolve('streams' in reply ? this.#stream(reply.id) : reply.result);
  }

  #stream(id: number): AsyncIterable<unknown> {
    const ask = (method: 'next' | 'return', ...passed: readonly unknown[]): Promise<unknown> =>
      this.#call(STREAM, method, [id, ...passed]);
    const iterator: AsyncIterator<unknown, unknown, unknown> = {
      next: (...passed) => ask('next', ...passed) as Promise<IteratorResult<unknown>>,
      return: async () => {
        await ask('return');
        return { done: true, value: undefined };
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }
}

function fromSentError({ code, message, stack }: SentError): Error {
  const error = code === undefined ? new Error(message) : new TidemarkError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
