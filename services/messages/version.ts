/** The 128-bit version that totally orders any two messages, the same way for every reader. */

import { randomInt } from 'node:crypto';
import type { Message, Micros } from './message.ts';
import { EARLIEST } from './timestamp.ts';

const PROCESS_BITS = 20n;
const ARRIVAL_BITS = 54n;

/**
 * The version of a message as 32 hexadecimal digits, which compare as the number does. 54 bits: when it took place, in
 * microseconds since 1900, taken as its arrival where it lies after it, so that a wrong clock cannot freeze a trait; 54
 * bits: its arrival, likewise; 20 bits: the process that took it in.
 */
export function versionOf(timestamp: Micros, receivedAt: Micros, processBits: number): string {
  const arrival = receivedAt - EARLIEST;
  const time = timestamp > receivedAt ? arrival : timestamp - EARLIEST;
  const version = (((time << ARRIVAL_BITS) | arrival) << PROCESS_BITS) | BigInt(processBits);
  return version.toString(16).padStart(32, '0');
}

/**
 * The version of a correction of a message: the next one after its own, so that against any other message it orders as
 * that one does. If the time at which it took place is corrected, that of the new time.
 */
export function versionAfter(
  { version, timestamp, receivedAt }: Pick<Message, 'version' | 'timestamp' | 'receivedAt'>,
  at: Micros,
): string {
  const next = BigInt.asUintN(128, BigInt(`0x${version}`) + 1n);
  if (at === timestamp) return next.toString(16).padStart(32, '0');
  return versionOf(at, receivedAt, Number(BigInt.asUintN(Number(PROCESS_BITS), next)));
}

/** When a message of this version took place, as far as newer and older go, and when it arrived. */
export function timesOfVersion(version: bigint): { readonly timestamp: Micros; readonly receivedAt: Micros } {
  const arrival = (version >> PROCESS_BITS) & ((1n << ARRIVAL_BITS) - 1n);
  return { timestamp: (version >> (PROCESS_BITS + ARRIVAL_BITS)) + EARLIEST, receivedAt: arrival + EARLIEST };
}

/** Draws the 20 bits that tell this process's versions from another's. Once per process. */
export function drawProcessBits(): number {
  return randomInt(2 ** 20);
}

/**
 * Tells when a message arrived: the wall clock, or one more than the last where that is not later. So no two messages
 * of a process arrive at once, and the items of a batch keep their order.
 */
export class ArrivalClock {
  readonly #nowMs: () => number;
  #lastMicros = -Infinity;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Later than every instant it gave before; the first of so many, a microsecond apart. */
  next(count = 1): Micros {
    const first = Math.max(Math.floor(this.#nowMs() * 1000), this.#lastMicros + 1);
    this.#lastMicros = first + count - 1;
    return BigInt(first);
  }
}
