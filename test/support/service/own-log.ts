/** Records that no request could bring, in the log of a service that runs: as if an earlier version had let them pass. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { NewRecord } from '../../../services/event-log/event-log.ts';

export interface SentRecords {
  readonly url: string;
  /** Keys and values in base64. */
  readonly records: readonly { readonly topic: string; readonly key: string; readonly value: string }[];
}

/** Settings of a service with embedded stores to whose log `appendToOwnLog` is to append. */
export function withOwnLog(dataDir: string): Record<string, string> {
  const preload = join(import.meta.dirname, 'own-log-preload.ts');
  return { NODE_OPTIONS: `--import=${preload}`, OWN_LOG_SOCKET: socketIn(dataDir) };
}

/** Resolves once they are on the disk. */
export async function appendToOwnLog(dataDir: string, records: readonly NewRecord[]): Promise<void> {
  const sent: SentRecords = {
    url: `log:${join(dataDir, 'event-log')}`,
    records: records.map(({ topic, key, value }) => ({ topic, key: base64(key), value: base64(value) })),
  };
  const connection = connect(socketIn(dataDir));
  connection.end(JSON.stringify(sent));
  const answered = await text(connection);
  if (answered !== String(records.length)) throw new Error(`the service appended ${answered} of ${records.length}`);
}

function socketIn(dataDir: string): string {
  return join(dataDir, 'own-log.sock');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
