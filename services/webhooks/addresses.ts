/** Which addresses webhooks may be sent to: whoever may make an endpoint must not reach what this machine reaches. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Private, loopback, link-local (with it the metadata of clouds), shared, reserved and multicast (IANA's registries). */
const INNER_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/**
 * Public addresses that a cloud gives its own machines for what is inner: the host of one in Azure
 * (learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16), services and their private endpoints in IBM
 * Cloud. Those of other clouds are link-local, shared, reserved (192.0.0.192) or unique local addresses.
 */
const INNER_OF_CLOUDS = ['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14'] as const;

/** Everything but 2000::/3, and within it what leads to addresses of IPv4 or to nobody. */
const INNER_V6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

/** Networks of both families. */
class Networks {
  // Apart: Node takes an address of IPv4 for its mapped form too, which is in ::/3.
  readonly #v4 = new BlockList();
  readonly #v6 = new BlockList();

  /** @param networks Addresses and networks, as `10.1.0.0/16`. @throws Error where one is neither. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const [list, family] = isIPv6(address) ? ([this.#v6, 'ipv6'] as const) : ([this.#v4, 'ipv4'] as const);
      if (bits === undefined) list.addAddress(address, family);
      else list.addSubnet(address, Number(bits), family);
    }
  }

  /** An address of IPv4 that is mapped into IPv6 (`::ffff:10.0.0.1`) counts as both. */
  contains(address: string): boolean {
    if (!isIPv6(address)) return this.#v4.check(address, 'ipv4');
    return this.#v6.check(address, 'ipv6') || this.#v4.check(address, 'ipv6');
  }
}

const INNER = new Networks([...INNER_V4, ...INNER_OF_CLOUDS, ...INNER_V6]);

export class WebhookAddresses {
  readonly #allowed: Networks;

  /** @param allowed Inner addresses and networks that may be sent to all the same. */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Networks(allowed);
  }

  /** Whether the setting names it: then it may also be sent to without TLS. */
  isNamed(address: string): boolean {
    return this.#allowed.contains(address);
  }

  /** Whether it may be sent to. */
  isAllowed(address: string): boolean {
    return this.isNamed(address) || !INNER.contains(address);
  }

  /**
   * Why a URL cannot be one that is sent to, whatever its name leads to; undefined where it can. Addresses that a name
   * leads to are checked when it is looked up for an attempt.
   */
  whyNot(url: URL): string | undefined {
    const { protocol, username, password, hash } = url;
    if (protocol !== 'https:' && protocol !== 'http:') return 'is not an https URL';
    if (username !== '' || password !== '') return 'holds a name or a password: the signature says who sends';
    if (hash !== '') return 'has a fragment, which is never sent';
    const address = literalAddressIn(url);
    if (address === undefined) return undefined;
    if (!this.isAllowed(address)) return 'leads to an inner address, which WEBHOOK_ALLOW does not name';
    if (protocol === 'http:' && !this.isNamed(address)) return NOT_ENCRYPTED;
    return undefined;
  }
}

export const NOT_ENCRYPTED = 'is not https: without TLS only addresses that WEBHOOK_ALLOW names are sent to';

/** The address in place of a name. The URL's parser has written it in the common form, whatever form it had. */
export function literalAddressIn({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}
