/** How the texts of settings are read. Each throws an error that goes on from the name and the value of the setting. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

export interface Setting<T> {
  /** In the environment. */
  readonly name: string;
  readonly default: string;
  /** The text of the table in docs/configuration.md. */
  readonly help: string;
  /** Never shown, not even in an error. It may stand in a file that `NAME_FILE` names. */
  readonly secret?: true;
  readonly parse: (text: string) => T;
}

export function nonEmpty(value: string): string {
  if (value === '') throw new Error('is empty');
  return value;
}

export function wholeNumberSetting(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`is not a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

export function oneOf<T extends string>(allowed: readonly T[]) {
  return (value: string): T => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`is not one of ${allowed.join(', ')}`);
    return found;
  };
}

export function url(...schemes: readonly string[]) {
  return (value: string): string => {
    const scheme = value.slice(0, value.indexOf(':'));
    if (!schemes.includes(scheme)) throw new Error(`does not start with ${schemes.map((s) => `${s}:`).join(' or ')}`);
    return value;
  };
}

/** The URL of an event log. Version 0.2 had `lmdb:` in place of `log:`. */
export function logUrl(value: string): string {
  if (value.startsWith('lmdb:')) {
    throw new Error('names a log of version 0.2: start version 0.3.0 once with log: in place of lmdb:');
  }
  return url('log', 'kafka')(value);
}

export function optionalUrl(...schemes: readonly string[]) {
  const required = url(...schemes);
  return (value: string): string | undefined => (value === '' ? undefined : required(value));
}

export function path(value: string): string {
  if (!/^(\/[\w.~-]+)+$/.test(value)) throw new Error('is not a path such as /legacy');
  if (value === '/v1' || value.startsWith('/v1/')) throw new Error('is taken by the public API');
  return value;
}

/** Undefined where empty. */
export function folder(value: string): string | undefined {
  return value === '' ? undefined : resolve(value);
}

export function initialKey(value: string): string | undefined {
  if (value === '') return undefined;
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) throw new Error('is not 32 to 256 visible ASCII characters');
  return value;
}

export function origins(value: string): readonly string[] {
  const all = value.split(',').map((each) => each.trim());
  return all.filter((origin) => {
    if (origin !== '' && origin !== '*' && !/^https?:\/\/[^/\s]+$/.test(origin))
      throw new Error('is not a list of origins');
    return origin !== '';
  });
}

/** Addresses and networks of IPv4 and IPv6. */
export function networks(value: string): readonly string[] {
  const all = value.split(',').map((each) => each.trim());
  return all.filter((network) => {
    const [address = '', bits, ...more] = network.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
    if (network !== '' && (longest === -1 || more.length > 0 || !isNetwork)) {
      throw new Error('is not a list of addresses and networks such as 10.2.0.0/16');
    }
    return network !== '';
  });
}

export function timezone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new Error('is not an IANA time zone');
  }
}

const LEAST_RETENTION_MS = 30 * 86_400_000;

/** Milliseconds; null for ever. */
export function retention(value: string): number | null {
  if (value === '') return null;
  const ms = duration(value);
  if (ms < LEAST_RETENTION_MS) throw new Error('is less than 30d');
  return ms;
}

/** Null for ever. */
export function monthsOrForEver(value: string): number | null {
  if (value === '') return null;
  if (!/^[1-9]\d{0,2}mo$/.test(value)) throw new Error('is not a number of months such as 13mo');
  return Number.parseInt(value, 10);
}

export function onOrOff(value: string): boolean {
  return oneOf(['on', 'off'])(value) === 'on';
}

export function durationOrOff(value: string): number {
  return value === 'off' ? 0 : duration(value);
}

const DURATION_UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function duration(value: string): number {
  const match = /^(\d{1,6})([hdw])$/.exec(value);
  if (!match) throw new Error('is not a duration such as 30d');
  return Number(match[1]) * DURATION_UNIT_MS[match[2] as keyof typeof DURATION_UNIT_MS];
}

/** A secret as Docker and Kubernetes hand it over: in a file, where no list of processes and no child process shows it. */
export function secretFromFile(file: string, besides: string | undefined): string {
  if (besides) throw new Error('stands twice: set one of the two');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    throw new Error(`is in a file that cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  // The default would be an embedded store: not what somebody meant who named a file.
  if (text === '') throw new Error('is in a file that is empty');
  return text;
}
