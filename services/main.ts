/** The program, `node services/main.ts [ROLE]`: reads the configuration, starts the role, stops it on a signal. */
import cluster from 'node:cluster';
import { firstStartNotice } from './projects/first-start.ts';
import { type Config, readConfig } from './runtime/config.ts';
import { hasCode, TidemarkError } from './runtime/errors.ts';
import { type OpenedLogger, openLogger } from './runtime/logger.ts';
import { logWarnings } from './runtime/node-warnings.ts';
import { firstRequest } from './wiring/first-request.ts';
import { checkRole, type Role, roleOf } from './wiring/role.ts';
import type { Running } from './wiring/running.ts';
import { startRole } from './wiring/start-role.ts';

// The contract says 15 s from the signal to the exit. What is not closed by then is left to the stores' recovery.
const STOP_WITHIN_MS = 14_000;

// Every chDB statement under way holds a thread of libuv's pool (as many as 4 at once, a question for seconds); files and
// decompression need some besides. Read by libuv at its first use, which comes after this line.
process.env['UV_THREADPOOL_SIZE'] ??= '12';

const { config, role } = configOrExit();
const output = openLogger(config.logLevel);
logWarnings(output.logger);
await run(config, output);

async function run({ dataDir }: Config, { logger }: OpenedLogger): Promise<void> {
  try {
    const giveUp = new AbortController();
    const starting = startRole(role, config, output, giveUp.signal);
    stopOnSignal(starting, giveUp);
    const running = await starting;
    tellFirstStart(running);
    // Of several processes of ingest the first says it, for all.
    const say = cluster.isPrimary ? 'info' : 'debug';
    logger[say]({ address: running.address, role, dataDir, node: process.version }, 'ready');
    await running.ended;
  } catch (error) {
    if (!hasCode(error, 'STOPPING')) fail(error);
  }
}

function configOrExit(): { readonly config: Config; readonly role: Role } {
  try {
    const named = roleOf(process.argv.slice(2));
    const read = readConfig(process.env);
    checkRole(named, read);
    return { config: read, role: named };
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    process.stderr.write(`tidemark: ${error.message}\n`);
    return process.exit(2);
  }
}

/** A repeated signal changes nothing: Ctrl-C reaches the process once from the terminal and once from npm. */
function stopOnSignal(starting: Promise<Running>, giveUp: AbortController): void {
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
    giveUp.abort();
    void starting
      .then(
        (running) => running.stop(),
        (error: unknown) => {
          // It was still waiting for a server.
          if (!hasCode(error, 'STOPPING')) throw error;
        },
      )
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
function tellFirstStart({ address, firstStart }: Running): void {
  if (firstStart === undefined) return;
  const notice = firstStartNotice(firstStart);
  if (notice === '') return;
  const writeKey = firstStart.keys.find(({ scope }) => scope === 'write')?.key;
  const example = writeKey === undefined ? '' : `A first event:\n\n${firstRequest(address, writeKey)}\n\n`;
  const where = role === 'all' ? `The data are in ${config.dataDir}.\n` : '';
  process.stdout.write(`\n${notice}\n${where}${example}`);
}

function fail(error: unknown): void {
  if (error instanceof TidemarkError) output.logger.fatal({ code: error.code }, error.message);
  else if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
    const message = 'this installation has no embedded stores: set EVENT_LOG_URL, PROFILES_URL and ANALYTICS_URL';
    output.logger.fatal({ code: 'CONFIG_INVALID', err: error }, message);
  } else output.logger.fatal({ err: error }, 'cannot go on');
  output.flush();
  process.exit(1);
}
