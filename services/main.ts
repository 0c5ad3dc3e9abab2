/** The program: reads the configuration, starts the service, stops it on a signal. */
import { firstStartNotice } from './projects/first-start.ts';
import { type Config, readConfig } from './runtime/config.ts';
import { TidemarkError } from './runtime/errors.ts';
import { type OpenedLogger, openLogger } from './runtime/logger.ts';
import { firstRequest } from './wiring/first-request.ts';
import { Service } from './wiring/service.ts';

// The contract says 15 s from the signal to the exit. What is not closed by then is left to the stores' recovery.
const STOP_WITHIN_MS = 14_000;

// Every chDB statement under way holds a thread of libuv's pool (as many as 4 at once, a question for seconds); files and
// decompression need some besides. Read by libuv at its first use, which comes after this line.
process.env['UV_THREADPOOL_SIZE'] ??= '12';

const config = configOrExit();
const output = openLogger(config.logLevel);
await run(config, output);

async function run({ dataDir }: Config, { logger }: OpenedLogger): Promise<void> {
  try {
    const starting = Service.start(config, output);
    stopOnSignal(starting);
    const service = await starting;
    tellFirstStart(service);
    logger.info({ address: service.address, dataDir, node: process.version }, 'ready');
    await service.ended;
  } catch (error) {
    fail(error);
  }
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    process.stderr.write(`tidemark: ${error.message}\n`);
    return process.exit(2);
  }
}

/** A repeated signal changes nothing: Ctrl-C reaches the process once from the terminal and once from npm. */
function stopOnSignal(starting: Promise<Service>): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      output.logger.fatal(`not stopped within ${STOP_WITHIN_MS} ms: leaving as it is`);
      output.flush();
      process.kill(process.pid, 'SIGKILL');
    }, STOP_WITHIN_MS).unref();
    output.logger.info({ signal }, 'stopping');
    void starting
      .then((service) => service.stop())
      .then(() => {
        output.logger.info('stopped');
        output.flush();
        process.exit(0);
      }, fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Not through the logger: keys are for the person who started it, once, and never for a log. */
function tellFirstStart({ address, firstStart }: Service): void {
  if (firstStart === undefined) return;
  const notice = firstStartNotice(firstStart);
  if (notice === '') return;
  const writeKey = firstStart.keys.find(({ scope }) => scope === 'write')?.key;
  const example = writeKey === undefined ? '' : `A first event:\n\n${firstRequest(address, writeKey)}\n\n`;
  process.stdout.write(`\n${notice}\nThe data are in ${config.dataDir}.\n${example}`);
}

function fail(error: unknown): void {
  if (error instanceof TidemarkError) output.logger.fatal({ code: error.code }, error.message);
  else output.logger.fatal({ err: error }, 'cannot go on');
  output.flush();
  process.exit(1);
}
