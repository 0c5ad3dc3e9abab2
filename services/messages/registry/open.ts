import { EmbeddedSchemaIds, type SchemaIds } from '../schema-ids.ts';
import type { Logger } from '../../runtime/logger.ts';
import { parseRegistryUrl } from './address.ts';

export interface SchemaIdsOptions {
  /** Stands before the name of every topic on the log, and so before the subjects' too. */
  readonly topicPrefix?: string | undefined;
  /** Keeps the answers of the registry, so that a process can start while it is unreachable. Several processes may share it. */
  readonly cacheFile?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /** How long an id that the registry does not know is not asked for again. */
  readonly absentForMs?: number | undefined;
}

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
