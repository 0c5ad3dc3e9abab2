import type { Config } from '../runtime/config.ts';
import { isServer } from './embedded.ts';

const BODY_MAKER = new URL('../ingest/body-maker.ts', import.meta.url);

/**
 * The module with which the event log makes records of request bodies in its writer thread. Undefined where the HTTP thread
 * makes them: for a log on a server, behind a spool, and for schemas with the ids of a registry, since the module knows
 * only the embedded ids.
 */
export function bodyMakerOf({
  eventLogUrl,
  spoolDir,
  schemaRegistryUrl,
}: Pick<Config, 'eventLogUrl' | 'spoolDir' | 'schemaRegistryUrl'>): URL | undefined {
  const isEmbedded = !isServer(eventLogUrl) && spoolDir === undefined && schemaRegistryUrl === undefined;
  return isEmbedded ? BODY_MAKER : undefined;
}
