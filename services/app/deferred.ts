import { type ErrorCode, TidemarkError } from '../runtime/errors.ts';

/** Something that is opened in the background, with a stand-in to hand out before. */
export class Deferred<T extends object> {
  /**
   * Has the methods of what is opened; until that is there, every call rejects with the error code. Only asynchronous
   * methods may be called, and no property read.
   */
  readonly standIn: T;
  #opened: T | undefined;

  /** @param what names it in the errors: `the event log`. */
  constructor(what: string, code: ErrorCode) {
    const methods = new Map<string | symbol, (...args: unknown[]) => unknown>();
    const methodOf =
      (name: string | symbol) =>
      (...args: unknown[]) => {
        const opened = this.#opened as Record<string | symbol, (...args: unknown[]) => unknown> | undefined;
        if (opened === undefined) return Promise.reject(new TidemarkError(code, `${what} is not open yet`));
        return opened[name]?.(...args);
      };
    this.standIn = new Proxy({} as T, {
      get: (_, name) => {
        // Else whoever awaits the stand-in takes it for a promise.
        if (name === 'then') return undefined;
        let method = methods.get(name);
        if (method === undefined) methods.set(name, (method = methodOf(name)));
        return method;
      },
    });
  }

  get opened(): T | undefined {
    return this.#opened;
  }

  set(opened: T): void {
    this.#opened = opened;
  }
}
