import { EmbeddedSchemaIds, type SchemaIds } from '../schema-ids.ts';
import { ServerUrl } from '../../runtime/server-url.ts';
import type { SchemaIdsOptions } from './confluent.ts';
import type { RegistryAddress } from './confluent-http.ts';

/**
 * The ids of `schemas/messages/ids.json` where no URL is given; else those of the Confluent-compatible registry at
 * `http[s]://[user:password@]host:port[/path][?ca_file=PEM]`, where the schema of every topic's values is looked up or
 * registered under the subject `TOPIC-value`, compatibility BACKWARD (or stricter, as found) asked for first.
 *
 * @throws TidemarkError within about 10 s: `STORE_UNAVAILABLE`, retryable, where the registry cannot be reached and
 *   `cacheFile` does not say what it would; `SCHEMA_INCOMPATIBLE` where it refuses a schema; `SERVER_DENIED`;
 *   `CONFIG_INVALID` where the URL makes no sense or leads to something else. No text of theirs has the password in it.
 */
export async function openSchemaIds(url: string | undefined, options: SchemaIdsOptions = {}): Promise<SchemaIds> {
  if (url === undefined) return new EmbeddedSchemaIds();
  const { ConfluentSchemaIds } = await import('./confluent.ts');
  return ConfluentSchemaIds.open(parseRegistryUrl(url), options);
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
