/**
 * Sends each statement of a transaction while the server still works on the previous one, so that the server does not
 * wait for this thread to compute the next values. Rejects with the first failure; the statements after it fail with
 * the transaction.
 */
export async function pipelined(statements: Iterable<() => Promise<unknown>>): Promise<void> {
  let before: Promise<unknown> | undefined;
  for (const ask of statements) {
    const answer = ask();
    // If the previous statement fails, nobody awaits this one.
    answer.catch(() => undefined);
    await before;
    before = answer;
  }
  await before;
}
