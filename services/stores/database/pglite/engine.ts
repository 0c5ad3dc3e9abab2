import { fsyncSync } from 'node:fs';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { textArray } from '../text-array.ts';
import { endOnPanic } from './panic.ts';

/** The major version of Postgres in PGlite 0.5, as the file PG_VERSION of its cluster records it. */
export const POSTGRES_VERSION = '18';

/** Opens the Postgres cluster in `folder`, or one in memory (new, or from a tar). Recovers after a crash. */
export async function startEngine(folder: string | undefined, tar?: Blob): Promise<PGlite> {
  const content = tar && { loadDataDir: tar };
  const pg = await PGlite.create({ ...engineOptions(folder), parsers: PARSERS, ...content });
  prepareTypes(pg);
  endOnPanic(pg);
  return pg;
}

export function engineOptions(folder: string | undefined): PGliteOptions {
  return {
    ...(folder === undefined ? { dataDir: 'memory://' } : { fs: new SyncedFolder(folder) }),
    startParams: [...SINGLE_USER, ...START_OPTIONS.flatMap((setting) => ['-c', setting])],
    initDbStartParams: INITDB_OPTIONS,
  };
}

// Segments of 4 MB instead of 16: a cluster takes 20 MB on disk when it is new, instead of 39.
export const INITDB_OPTIONS = ['--wal-segsize=4'];

// PGlite's own, without the -F that turns fsync off.
const SINGLE_USER = ['--single', '-O', '-j'];

const START_OPTIONS = [
  'search_path=public',
  'exit_on_error=false',
  'log_checkpoints=false',
  'max_worker_processes=0',
  'max_parallel_workers=0',
  'max_parallel_workers_per_gather=0',
  'max_parallel_maintenance_workers=0',
  'io_method=sync',
  'jit=off',
  // The default, fdatasync, is an empty function in PGlite. fsync reaches SyncedFolder.
  'fsync=on',
  'wal_sync_method=fsync',
  // With the default of 128 MB, the idle process is 130 MB larger (measured). The operating system caches files as
  // well.
  'shared_buffers=16MB',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
];

/**
 * PGlite's folder, made durable. PGlite's file system lacks `fsync` (its issue 1107): data that Postgres considers
 * flushed is only in the cache of the operating system, so an acknowledged commit would not survive a power failure.
 * Emscripten calls this operation if a file system has it.
 */
class SyncedFolder extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

interface NodeFsModule {
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
    /** Converts a Node.js error into one that Postgres sees as errno. */
    readonly tryFSOperation: (operation: () => void) => void;
  };
}

function addFsync(module: unknown): void {
  const { NODEFS } = module as NodeFsModule;
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    NODEFS.tryFSOperation(() => fsyncSync(nfd));
    return 0;
  };
}

// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const INT8 = 20;
const BYTEA = 17;
const AS_TEXT = [114, 3802, 1082, 1114, 1184]; // json, jsonb, date, timestamp, timestamptz
const PLAIN_ARRAYS = [1000, 1005, 1007, 1016, 1022]; // of bool, int2, int4, int8, float8
const TEXT_ARRAY = 1009;

/** Values as `database.ts` defines them. By default, PGlite converts a small int8 to a number and parses json. */
export const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: BigInt,
  [BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  ...Object.fromEntries(AS_TEXT.map((type) => [type, (text: string) => text])),
};

/** Must be called after the engine has started, because it sets serializers of arrays during its start. */
function prepareTypes(pg: PGlite): void {
  pg.serializers[BYTEA] = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`;
  for (const type of PLAIN_ARRAYS) pg.serializers[type] = plainArray;
  // PGlite sends bytes from a serializer to Postgres in the binary form, although the type of the result is string.
  pg.serializers[TEXT_ARRAY] = textArray as unknown as (values: readonly (string | null)[]) => string;
}

/** For elements that need no quotes: numbers and booleans. */
function plainArray(values: readonly (number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`;
}
