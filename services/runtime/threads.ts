/**
 * Calls between two threads of the process: an object's methods served on one side of a port, a stand-in for it on the
 * other. Arguments and results are cloned (structured clone: bigint, Map and bytes pass, functions do not); an error
 * arrives as a TidemarkError with its code, or as an Error with its message.
 */
import type { MessagePort } from 'node:worker_threads';
import { TidemarkError, type ErrorCode } from './errors.ts';

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

type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: SentError };

type Method = (...args: readonly unknown[]) => unknown;

/** Answers the calls that come in on `port` with the methods of `targets`, by name, until the port is closed. */
export function serveCalls(port: MessagePort, targets: Readonly<Record<string, object>>): void {
  port.on('message', (call: Call) => {
    void answer(targets, call).then((reply) => port.postMessage(reply));
  });
}

async function answer(targets: Readonly<Record<string, object>>, call: Call): Promise<Answer> {
  try {
    const target = targets[call.target] as Record<string, Method> | undefined;
    const method = target?.[call.method];
    if (typeof method !== 'function') throw new Error(`nothing serves ${call.target}.${call.method}`);
    return { id: call.id, result: await method.apply(target, [...call.args]) };
  } catch (error) {
    return { id: call.id, error: sent(error) };
  }
}

function sent(error: unknown): SentError {
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
    port.on('message', (reply: Answer) => this.#settle(reply));
  }

  /** A stand-in for the object served under this name: every method of `T` must be asynchronous. */
  standIn<T extends object>(target: string): T {
    const methods = new Map<string, Method>();
    return new Proxy({} as T, {
      get: (_, name) => {
        // A promise resolved with a stand-in would ask whether it is itself a promise.
        if (typeof name !== 'string' || name === 'then') return undefined;
        let method = methods.get(name);
        if (method === undefined) methods.set(name, (method = (...args) => this.#call(target, name, args)));
        return method;
      },
    });
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

  #settle(reply: Answer): void {
    const waiting = this.#pending.get(reply.id);
    if (waiting === undefined) return;
    this.#pending.delete(reply.id);
    if ('error' in reply) waiting.reject(received(reply.error));
    else waiting.resolve(reply.result);
  }
}

function received({ code, message, stack }: SentError): Error {
  const error = code === undefined ? new Error(message) : new TidemarkError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
