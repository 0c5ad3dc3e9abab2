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

/** The version with its time no later than this; its arrival and process stay, and so does its order among such. */
export function timeClampedIn(version: string, latest: Micros): string {
  const number = BigInt(`0x${version}`);
  const { timestamp } = timesOfVersion(number);
  if (timestamp <= latest) return version;
  const rest = BigInt.asUintN(Number(ARRIVAL_BITS + PROCESS_BITS), number);
  return (((latest - EARLIEST) << (ARRIVAL_BITS + PROCESS_BITS)) | rest).toString(16).padStart(32, '0');
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
