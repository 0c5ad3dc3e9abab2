const format = new Intl.NumberFormat('en');

/** `1,240`: a count of the interface, never a value of a user. */
export function count(value: number): string {
  return format.format(value);
}

/** `12,345.6789`: a number of an answer with every digit, its whole part in groups of three. */
export function grouped(rawJSON: string): string {
  const [, whole = rawJSON, rest = ''] = /^(-?\d+)(.*)$/.exec(rawJSON) ?? [];
  return whole.replaceAll(/\d(?=(\d{3})+$)/g, '$&,') + rest;
}
