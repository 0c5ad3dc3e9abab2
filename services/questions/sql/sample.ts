/** A stable share of all users: by a keyed hash of the user's number, the same in ClickHouse and here. Pure. */
import { hash } from 'node:crypto';
import type { SampleCondition } from '../definition/audience.ts';
import type { Params } from './params.ts';

/** A hundredth of a percent. */
const PARTS = 10_000n;

/** The condition on `user`. */
export function sampleSql(params: Params, { seed, hundredths }: SampleCondition): string {
  const [one, other] = keysOf(seed).map((key) => params.unsigned(key));
  return `sipHash64Keyed((${one}, ${other}), user) % ${PARTS} < ${params.count(hundredths)}`;
}

/** From 0 to 9,999: the sample has those who are below its hundredths of a percent. */
export function samplePosition(seed: string, userKey: string): number {
  const [one = 0n, other = 0n] = keysOf(seed);
  // ClickHouse hashes the 16 bytes of the number, the lowest first.
  const number = Buffer.from(userKey.slice(0, 32), 'hex');
  return Number(sipHash24(one, other, number.readBigUInt64BE(8), number.readBigUInt64BE(0)) % PARTS);
}

function keysOf(seed: string): readonly bigint[] {
  const digest = hash('sha256', seed, 'buffer');
  return [digest.readBigUInt64LE(0), digest.readBigUInt64LE(8)];
}

const rotated = (value: bigint, bits: bigint): bigint => BigInt.asUintN(64, value << bits) | (value >> (64n - bits));
const added = (one: bigint, other: bigint): bigint => BigInt.asUintN(64, one + other);

/** SipHash-2-4 (Aumasson and Bernstein, 2012) of 16 bytes, given as two words. */
export function sipHash24(key0: bigint, key1: bigint, ...words: readonly [bigint, bigint]): bigint {
  let v0 = key0 ^ 0x736f6d6570736575n;
  let v1 = key1 ^ 0x646f72616e646f6dn;
  let v2 = key0 ^ 0x6c7967656e657261n;
  let v3 = key1 ^ 0x7465646279746573n;
  const round = (): void => {
    v0 = added(v0, v1);
    v1 = rotated(v1, 13n) ^ v0;
    v0 = rotated(v0, 32n);
    v2 = added(v2, v3);
    v3 = rotated(v3, 16n) ^ v2;
    v0 = added(v0, v3);
    v3 = rotated(v3, 21n) ^ v0;
    v2 = added(v2, v1);
    v1 = rotated(v1, 17n) ^ v2;
    v2 = rotated(v2, 32n);
  };
  // The last word has the length in its highest byte.
  for (const word of [...words, 16n << 56n]) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let times = 0; times < 4; times++) round();
  return v0 ^ v1 ^ v2 ^ v3;
}
