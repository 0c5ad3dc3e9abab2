/**
 * Two processes that stand for ingest, the first of which ends before it is ready as argv[2] says: by a signal of this
 * name, or with this code. Prints `ready` once both are, or why they cannot be.
 */
import cluster from 'node:cluster';
import { createLogger } from '../../services/runtime/logger.ts';
import { IngestCluster, tellReady } from '../../services/wiring/ingest-cluster.ts';

const [, , end = ''] = process.argv;
if (cluster.isPrimary) {
  try {
    const started = await IngestCluster.start(2, createLogger('error', process.stderr));
    await started.stop();
    process.stdout.write('ready');
  } catch (error) {
    process.stdout.write((error as Error).message);
  }
} else {
  if (cluster.worker?.id === 1) {
    if (end.startsWith('SIG')) process.kill(process.pid, end);
    else process.exit(Number(end));
  }
  setInterval(() => undefined, 1_000);
  tellReady('http://127.0.0.1:1');
}
