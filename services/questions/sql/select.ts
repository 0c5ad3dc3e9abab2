export function select(head: string, conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 0 ? head : `${head} WHERE ${given.join(' AND ')}`;
}
