/** Waits for all of them, whatever becomes of each, then throws what the first failure was. */
export async function allSettledOrThrow(steps: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}
