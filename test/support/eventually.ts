import { vi } from 'vitest';

/** Waits until an assertion holds, for as long as a busy machine may take: `vi.waitFor` itself gives up after a second. */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: 20_000 });
}
