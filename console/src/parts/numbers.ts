const format = new Intl.NumberFormat('en');

/** `1,240`: a count of the interface, never a value of a user. */
export function count(value: number): string {
  return format.format(value);
}
