/**
 * Looks up the names that webhooks are sent to. The system's own look-up (`getaddrinfo`) holds one of a few threads for as
 * long as a name server is silent, cannot be ended, and is what Postgres, Kafka and ClickHouse are found by. So the name
 * servers are queried here, by the same files; modules of nsswitch.conf do not count.
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { pause, untilAborted } from '../runtime/pause.ts';

export interface NameSources {
  /** Files in the form of hosts(5) and resolv.conf(5). */
  readonly hosts: string;
  readonly resolv: string;
  /** Addresses, with a port where it is another than 53; left out: those of the system. */
  readonly servers?: readonly string[];
}

const SYSTEM: NameSources = { hosts: '/etc/hosts', resolv: '/etc/resolv.conf' };
/** How long a name server has to answer; twice that when it is tried again. */
const FIRST_TRY_MS = 2_000;
const TRIES = 2;
/** Once addresses of one family are there, those of the other have this long: some name servers never answer for both. */
const SECOND_FAMILY_MS = 200;
const UNKNOWN: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** The addresses of a name. @throws Error with a code of node:dns; the signal's reason once it aborts. */
export async function lookUp(
  name: string,
  signal: AbortSignal,
  { hosts, resolv, servers }: NameSources = SYSTEM,
): Promise<readonly LookupAddress[]> {
  const own = name.replace(/\.$/, '').toLowerCase();
  const kept = addressesInHosts(await textIn(hosts), own);
  if (kept.length > 0) return kept;
  if (/(^|\.)localhost$/.test(own)) return [...addresses(['127.0.0.1'], 4), ...addresses(['::1'], 6)];
  let unknown: unknown;
  for (const full of fullNames(name, await textIn(resolv))) {
    try {
      return await addressesOf(full, signal, servers);
    } catch (error) {
      signal.throwIfAborted();
      if (!UNKNOWN.includes((error as NodeJS.ErrnoException).code)) throw error;
      unknown ??= error;
    }
  }
  throw unknown;
}

async function addressesOf(
  name: string,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  let v4: readonly string[] = [];
  let v6: readonly string[] = [];
  const questions = [
    resolver.resolve4(name).then((found) => (v4 = found)),
    resolver.resolve6(name).then((found) => (v6 = found)),
  ];
  const oneAnswered = Promise.any(questions).then(
    () => pause(SECOND_FAMILY_MS, signal),
    () => undefined,
  );
  try {
    await untilAborted(Promise.race([oneAnswered, Promise.allSettled(questions)]), signal);
  } finally {
    resolver.cancel();
  }
  if (v4.length + v6.length === 0) await Promise.all(questions);
  return [...addresses(v4, 4), ...addresses(v6, 6)];
}

/** As the system has it: the names that a short name may stand for come first where it has fewer dots than `ndots`. */
export function fullNames(name: string, resolv: string): readonly string[] {
  if (name.endsWith('.')) return [name];
  const words = resolv.split('\n').map((line) => line.trim().split(/\s+/));
  const search = words.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  const options = words.filter(([key]) => key === 'options').flat();
  const dots = Number(options.findLast((option) => option.startsWith('ndots:'))?.slice(6) ?? 1);
  const longer = search.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...longer] : [...longer, name];
}

export function addressesInHosts(hosts: string, name: string): readonly LookupAddress[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? addresses([address], isIP(address)) : [];
  });
}

function addresses(found: readonly string[], family: number): readonly LookupAddress[] {
  return found.map((address) => ({ address, family }));
}

/** Empty where there is no such file. */
function textIn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
