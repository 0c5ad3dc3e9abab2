export type AnyMethod = (...args: readonly unknown[]) => unknown;

/**
 * An object that passes calls of its methods on: `standIn.find(id)` is `call('find', [id])`. Only asynchronous methods of
 * `T` may be called, and no property may be read.
 */
export function standInFor<T extends object>(call: (method: string, args: readonly unknown[]) => unknown): T {
  const methods = new Map<string, AnyMethod>();
  return new Proxy({} as T, {
    get: (_, name) => {
      // A promise that is resolved with a stand-in looks whether it is a promise itself.
      if (typeof name !== 'string' || name === 'then') return undefined;
      let method = methods.get(name);
      if (method === undefined) methods.set(name, (method = (...args) => call(name, args)));
      return method;
    },
  });
}

/** A stand-in that looks up for every call which object it goes to. */
export function standInBy<T extends object>(find: (method: string, args: readonly unknown[]) => Promise<T>): T {
  return standInFor<T>(async (method, args) => callMethod(await find(method, args), method, args));
}

export function callMethod(target: object, method: string, args: readonly unknown[]): unknown {
  return (target as Record<string, AnyMethod>)[method]?.(...args);
}
