import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { TidemarkError } from './errors.ts';

/** What the URL of one kind of server may say. */
export interface ServerUrlForm<Parameter extends string> {
  /** Names the server in errors: `Postgres`. */
  readonly server: string;
  /** The default port of each scheme. */
  readonly ports: Readonly<Record<string, number>>;
  readonly parameters: readonly Parameter[];
  /** Default: exactly one. */
  readonly hosts?: 'several' | 'optional';
}

/** PEM texts, as Node's TLS takes them. */
export interface Certificates {
  /** The authorities to trust in place of the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const URL_FORM = /^([a-z]+):\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST_FORM = /^(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/;
const CERTIFICATE = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/;

/**
 * The URL of a server, `SCHEME://[USER[:PASSWORD]@]HOST_FORM[:PORT][,HOST_FORM…][/PATH][?PARAMETERS]`, user and password
 * percent-encoded. Its errors quote only names of parameters and files: anything else may be part of a password.
 */
export class ServerUrl<Parameter extends string> {
  readonly scheme: string;
  /** A name as the URL has it: an IPv6 address in brackets. */
  readonly hosts: readonly { readonly name: string; readonly port: number }[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** As the URL has it, without the first slash. */
  readonly path: string;
  readonly #server: string;
  readonly #parameters: ReadonlyMap<string, string>;

  /** @throws TidemarkError `CONFIG_INVALID`, as every method does. */
  constructor(text: string, { server, ports, parameters, hosts }: ServerUrlForm<Parameter>) {
    this.#server = server;
    const [, scheme = '', credentials, places = '', path = '', query = ''] = URL_FORM.exec(text.trim()) ?? [];
    const port = ports[scheme];
    if (port === undefined) {
      const forms = Object.keys(ports).map((one) => `${one}://…`);
      throw this.invalid(
        `is not of the form ${forms.join(' or ')} (in a password, / # % @ are written %2F %23 %25 %40)`,
      );
    }
    this.scheme = scheme;
    this.hosts = places === '' && hosts === 'optional' ? [] : this.#hostsOf(places, port);
    if (this.hosts.length > 1 && hosts !== 'several') throw this.invalid('names more than one host');
    const [user, ...password] = credentials?.split(':') ?? [];
    this.user = user && this.decode(user);
    this.password = password.length === 0 ? undefined : this.decode(password.join(':'));
    this.path = path;
    this.#parameters = this.#parametersOf(query, parameters);
  }

  text(name: Parameter): string | undefined {
    return this.#parameters.get(name);
  }

  oneOf<T extends string>(name: Parameter, known: readonly T[], otherwise: T): T {
    const text = this.text(name)?.toLowerCase() ?? otherwise;
    const found = known.find((one) => one === text);
    if (found === undefined) throw this.invalid(`has a ${name} that is not one of ${known.join(', ')}`);
    return found;
  }

  flag(name: Parameter, otherwise: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], `${otherwise}`) === 'true';
  }

  /** A whole number from 1 on. */
  count<T>(name: Parameter, max: number, otherwise: T): number | T {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    if (/^[1-9]\d*$/.test(text) && Number(text) <= max) return Number(text);
    throw this.invalid(`has a ${name} that is not a whole number from 1 to ${max}`);
  }

  /** The only segment of the path, or ''. */
  database(): string {
    if (this.path.includes('/')) throw this.invalid('has more than a database in its path');
    return this.decode(this.path);
  }

  /** The parameters that name PEM files, by what they hold; the files are read. */
  certificates(isTls: boolean, names: { readonly [K in keyof Certificates]: Parameter }): Certificates {
    const given = Object.entries(names).filter(([, name]) => this.#parameters.has(name));
    if (!isTls && given[0] !== undefined) throw this.invalid(`has ${given[0][1]}, but does not ask for TLS`);
    const read: Certificates = Object.fromEntries(given.map(([kind, name]) => [kind, this.#readPem(kind, name)]));
    if ((read.cert === undefined) === (read.key === undefined)) return read;
    throw this.invalid(`needs ${names.cert} and ${names.key} together`);
  }

  /** `http(s)://HOST_FORM[:PORT]` as browsers write it: the scheme's own port left out. */
  origin(): string {
    const [host] = this.hosts;
    const url = URL.parse(`${this.scheme}://${host?.name}:${host?.port}`);
    if (url === null) throw this.invalid('has a host whose name makes no sense');
    return url.origin;
  }

  decode(text: string): string {
    try {
      return decodeURIComponent(text);
    } catch {
      throw this.invalid('has a % that does not begin a percent-encoded character: write it %25');
    }
  }

  invalid(why: string, cause?: unknown): TidemarkError {
    return new TidemarkError('CONFIG_INVALID', `the URL of ${this.#server} ${why}`, { cause });
  }

  #hostsOf(places: string, defaultPort: number): ServerUrl<Parameter>['hosts'] {
    const hosts = places.split(',').map((place) => {
      const [, name, port = defaultPort] = HOST_FORM.exec(place) ?? [];
      if (name === undefined) throw this.invalid('names no host, or not as HOST or HOST:PORT');
      if (Number(port) < 1 || Number(port) > 65_535) throw this.invalid('names a port that is not from 1 to 65535');
      return { name, port: Number(port) };
    });
    const distinct = new Set(hosts.map(({ name, port }) => `${name}:${port}`));
    if (distinct.size < hosts.length) throw this.invalid('names a host twice');
    return hosts;
  }

  #parametersOf(query: string, known: readonly string[]): ReadonlyMap<string, string> {
    const parameters = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(query)) {
      if (!known.includes(name)) {
        // Any other text may be the rest of a password that contains a question mark.
        const shown = /^\w{1,40}$/.test(name) ? ` ${name}` : '';
        throw this.invalid(`has an unknown parameter${shown} (known: ${known.join(', ')})`);
      }
      if (parameters.has(name)) throw this.invalid(`has ${name} twice`);
      parameters.set(name, value);
    }
    return parameters;
  }

  #readPem(kind: string, name: string): string {
    const file = this.#parameters.get(name) ?? '';
    try {
      const pem = readFileSync(file, 'utf8');
      createSecureContext({ [kind]: pem });
      // Node reads the authorities that it can, and trusts nobody where it can read none.
      if (kind === 'ca' && !CERTIFICATE.test(pem)) throw new Error('it holds no certificate');
      return pem;
    } catch (cause) {
      throw this.invalid(`has a file in ${name} that cannot be read as PEM: ${file}`, cause);
    }
  }
}

/** A host as a URL has it: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
