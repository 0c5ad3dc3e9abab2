type Method = (...args: never[]) => Promise<unknown>;

/** Has every call of a method made by `wrapper`, which is given the call as it would have been. */
export function around<Name extends string>(
  prototype: Record<Name, Method>,
  name: Name,
  wrapper: (this: never, call: () => Promise<unknown>, ...args: never[]) => Promise<unknown>,
): void {
  const real = prototype[name];
  prototype[name] = function (this: unknown, ...args: never[]) {
    return wrapper.call(this as never, () => real.apply(this, args), ...args);
  };
}
