import { ServerUrl } from '../../runtime/server-url.ts';

/** Where a registry is and how to get in. */
export interface RegistryAddress {
  /** Without name, password, query and trailing slash: it may be shown. */
  readonly base: string;
  /** The value of the header of that name. Secret. */
  readonly authorization: string | undefined;
  /** PEM, instead of the authorities that Node trusts. */
  readonly ca: string | undefined;
}

const FORM = {
  server: 'the schema registry',
  ports: { http: 80, https: 443 },
  parameters: ['ca_file'],
} as const;

/**
 * `http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH][?ca_file=PEM]`
 *
 * @throws TidemarkError `CONFIG_INVALID`
 */
export function parseRegistryUrl(text: string): RegistryAddress {
  const url = new ServerUrl(text, FORM);
  const { user = '', password = '' } = url;
  const { ca } = url.certificates(url.scheme === 'https', { ca: 'ca_file' });
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return {
    base: `${url.origin()}/${url.path}`.replace(/\/+$/, ''),
    authorization: user === '' && password === '' ? undefined : authorization,
    ca,
  };
}
