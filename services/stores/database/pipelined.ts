/**
 * Asks for each of a transaction's statements while the one before is being answered: a server does not wait then until
 * this thread has made the next one's values. Rejects with the first failure; what was asked after it has failed with the
 * transaction.
 */
export async function pipelined(statements: Iterable<() => Promise<unknown>>): Promise<void> {
  let before: Promise<unknown> | undefined;
  for (const ask of statements) {
    const answer = ask();
    // Where the one before fails, nobody waits for this one.
    answer.catch(() => undefined);
    await before;
    before = answer;
  }
  await before;
}
