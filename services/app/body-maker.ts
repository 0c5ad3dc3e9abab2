import type { Config } from '../runtime/config.ts';
import { isServer } from './embedded.ts';

const BODY_MAKER = new URL('../ingest/body-maker.ts', import.meta.url);

/**
 * The module by which the event log makes records of bodies itself, in the thread in which it writes; undefined where the
 * thread that answers makes them: for a log on a server, or on its way through a spool, and for schemas with a registry's
 * ids, of which the module knows the embedded ones.
 */
export function bodyMakerOf({
  eventLogUrl,
  spoolDir,
  schemaRegistryUrl,
}: Pick<Config, 'eventLogUrl' | 'spoolDir' | 'schemaRegistryUrl'>): URL | undefined {
  const isEmbedded = !isServer(eventLogUrl) && spoolDir === undefined && schemaRegistryUrl === undefined;
  return isEmbedded ? BODY_MAKER : undefined;
}
