import type { Config } from '../runtime/config.ts';
import { isServer } from '../runtime/embedded.ts';

const WRITER_ENCODER = new URL('./record-encoder.ts', import.meta.url);

/**
 * The module of the record encoder for the embedded log's writer thread; undefined where the HTTP thread encodes all
 * records: for a log on a server, behind a spool, and for schemas with a registry's ids, since the module knows only the
 * embedded ones.
 */
export function encoderModuleOf({
  eventLogUrl,
  spoolDir,
  schemaRegistryUrl,
}: Pick<Config, 'eventLogUrl' | 'spoolDir' | 'schemaRegistryUrl'>): URL | undefined {
  const isEmbedded = !isServer(eventLogUrl) && spoolDir === undefined && schemaRegistryUrl === undefined;
  return isEmbedded ? WRITER_ENCODER : undefined;
}
