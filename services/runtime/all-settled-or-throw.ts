/** Waits until every one has resolved or rejected, then throws the first rejection. */
export async function allSettledOrThrow(steps: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}
