import { fsyncSync } from 'node:fs';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { endOnPanic } from './panic.ts';
import { PARSERS, prepareTypes } from './types.ts';

/** The major version of Postgres that PGlite 0.5 is, as its cluster notes it in PG_VERSION. */
export const POSTGRES_VERSION = '18';

/** Opens the Postgres cluster in `folder`, or one in memory (new, or of a tar). Recovers what a crash left behind. */
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
    startParams: [...SINGLE_USER, ...SETTINGS.flatMap((setting) => ['-c', setting])],
    // Segments of 4 MB instead of 16: a cluster takes 20 MB on disk when it is new, instead of 39.
    initDbStartParams: ['--wal-segsize=4'],
  };
}

// PGlite's own, without the -F that turns fsync off.
const SINGLE_USER = ['--single', '-O', '-j'];

const SETTINGS = [
  'search_path=public',
  'exit_on_error=false',
  'log_checkpoints=false',
  'max_worker_processes=0',
  'max_parallel_workers=0',
  'max_parallel_workers_per_gather=0',
  'max_parallel_maintenance_workers=0',
  'io_method=sync',
  'jit=off',
  // fdatasync, the default, is an empty function in PGlite; fsync reaches SyncedFolder.
  'fsync=on',
  'wal_sync_method=fsync',
  // With the default of 128 MB the process is 130 MB larger when idle (measured); the operating system caches too.
  'shared_buffers=16MB',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
];

/**
 * PGlite's folder, made durable. Its file system lacks `fsync` (its issue 1107: what Postgres believes flushed is in the
 * operating system's cache), so an answered commit would not survive a power cut. Emscripten calls this operation
 * where a file system has it.
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
    /** Turns an error of Node's into one that Postgres sees as errno. */
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
