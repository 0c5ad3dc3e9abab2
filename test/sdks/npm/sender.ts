import type { Call } from '../call.ts';

/** What a program of the tests needs of an SDK. */
export interface Sender {
  send(call: Call): unknown;
  /** Resolves once the SDK has sent what it will send. */
  flush(): Promise<unknown>;
}

/** What each file beside this one exports. */
export type Connect = (url: string, writeKey: string) => Sender | Promise<Sender>;

/** A sender for an SDK whose methods are named after the calls and take one message, as Segment's do. */
export function senderOf(analytics: object, flush: () => Promise<unknown>): Sender {
  const methods = analytics as Record<string, (message: object) => unknown>;
  return {
    send: ({ type, ...call }) => methods[type]?.({ ...call, timestamp: new Date(call.timestamp) }),
    flush,
  };
}
