import { join } from 'node:path';
import { recordCountOf, seedOf } from '../embedded/chunk.ts';
import type { StoredChunk, StoredLog } from '../embedded/copy-log.ts';
import { damaged } from '../embedded/errors.ts';
import type { Layout, LogPartition } from '../embedded/layout.ts';
import { nameOf } from '../partition.ts';
import { checkDataFile } from './data-file.ts';
import type { Bytes } from './environment.ts';
import { lmdbFailure } from './errors.ts';
import { endsIn, notesIn, type OpenedLog, openLog } from './open-log.ts';

/**
 * Opens the log in a folder to copy it, once every page of its file is checked.
 *
 * @throws TidemarkError `LOG_DAMAGED`, `LOG_FOREIGN`.
 */
export function openStoredLog(folder: string): StoredLog {
  try {
    checkDataFile(join(folder, 'data.mdb'), { everyPage: true });
    const opened = openLog(folder, [], undefined);
    try {
      return new LmdbStoredLog(opened);
    } catch (error) {
      void opened.environment.close();
      throw error;
    }
  } catch (error) {
    throw lmdbFailure(error, 'to open');
  }
}

class LmdbStoredLog implements StoredLog {
  readonly layout: Layout;
  readonly ends: Float64Array;
  readonly notes: ReadonlyMap<string, unknown>;
  readonly #opened: OpenedLog;

  constructor(opened: OpenedLog) {
    this.layout = opened.layout;
    this.ends = endsIn(opened.metadata);
    this.notes = notesIn(opened.metadata);
    this.#opened = opened;
    if (this.ends.length !== this.layout.partitions.length)
      throw damaged('the event log has lost the end of a partition');
  }

  chunks(partition: LogPartition, from: number, bytes: number): readonly StoredChunk[] {
    const start = Buffer.alloc(8);
    start.writeUIntBE(from, 2, 6);
    const chunks: StoredChunk[] = [];
    let next = from;
    let read = 0;
    try {
      for (const { key, value } of this.#database(partition).getRange({ start })) {
        const chunk = checked(partition, key, value);
        if (chunk.first !== next) break;
        chunks.push(chunk);
        next += chunk.count;
        read += value.length;
        if (read >= bytes) break;
      }
    } catch (error) {
      throw lmdbFailure(error, `to read ${nameOf(partition)}`);
    }
    if (chunks.length === 0) throw damaged(`${nameOf(partition)} has lost the record at offset ${from}`);
    return chunks;
  }

  lastChunk(partition: LogPartition): StoredChunk {
    for (const { key, value } of this.#database(partition).getRange({ reverse: true, limit: 1 })) {
      return checked(partition, key, value);
    }
    throw damaged(`${nameOf(partition)} has lost its last record`);
  }

  close(): Promise<void> {
    return this.#opened.environment.close();
  }

  #database(partition: LogPartition): Bytes {
    return this.#opened.partitions[partition.index] as Bytes;
  }
}

/** @throws TidemarkError `LOG_DAMAGED` where its checksum does not fit, or the key is not one. */
function checked(partition: LogPartition, key: Uint8Array, bytes: Buffer): StoredChunk {
  const first = Buffer.from(key).readUIntBE(2, 6);
  try {
    const count = recordCountOf(bytes, seedOf(partition, first));
    return { partition, first, count, appendedAtMs: bytes.readDoubleLE(8), bytes };
  } catch (error) {
    throw damaged(`${nameOf(partition)} has lost the record at offset ${first}`, error);
  }
}
