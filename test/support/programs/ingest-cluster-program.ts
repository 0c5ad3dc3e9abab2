/**
 * Two processes in the place of ingest. The first argv[2] of them end before they are ready, by the signal or with the exit
 * code of argv[3]. Prints `ready` once two are ready, or why they cannot be.
 */
import cluster from 'node:cluster';
import { createLogger } from '../../../services/runtime/logger.ts';
import { sendReady, startIngestCluster } from '../../../services/app/ingest-cluster.ts';

const [, , count, end = ''] = process.argv;
if (cluster.isPrimary) {
  try {
    const started = await startIngestCluster(2, createLogger('error', process.stderr));
    await started.stop();
    process.stdout.write('ready');
  } catch (error) {
    process.stdout.write((error as Error).message);
  }
} else {
  if (Number(cluster.worker?.id) <= Number(count)) {
    if (end.startsWith('SIG')) process.kill(process.pid, end);
    else process.exit(Number(end));
  }
  setInterval(() => undefined, 1_000);
  sendReady('http://127.0.0.1:1');
}
