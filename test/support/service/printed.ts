/** Everything that a logger could print of an error. */
export function printed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), printed(error.cause)].join('\n');
}
