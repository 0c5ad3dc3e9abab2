/** A thread that ends with the first message that it is sent. */
import { parentPort } from 'node:worker_threads';

parentPort?.once('message', () => process.exit(1));
