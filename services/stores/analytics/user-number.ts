/** The `user` column: the first 128 bits of the internal user id, in decimal. */
export function userNumber(userKey: string): string {
  return BigInt(`0x${userKey.slice(0, 32)}`).toString();
}
