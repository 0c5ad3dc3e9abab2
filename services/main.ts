/** The program, in a Node that can read this (main.js): reads the configuration, starts the role, stops it on a signal. */
import cluster from 'node:cluster';
import { fstatSync, type Stats, statSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { checkRole, type Role, roleOf, type Running } from './app/role.ts';
import { startRole } from './app/start-role.ts';
import { type Config, readConfig } from './runtime/config.ts';
import { hasCode, TidemarkError } from './runtime/errors.ts';
import { type OpenedLogger, openLogger } from './runtime/logger.ts';
import { logWarnings } from './runtime/node-warnings.ts';
import { retry } from './runtime/retry.ts';
import { Watchdog } from './runtime/watchdog/watchdog.ts';
import { firstStartNotice } from './stores/projects/first-start.ts';

// Whatever is made from here on, by children too, is this user's alone.
process.umask(0o077);

// Every chDB statement under way holds a thread of libuv's pool (as many as 4 at once, a question for seconds); files and
// decompression need some besides. Read by libuv at its first use, which comes after this line.
process.env['UV_THREADPOOL_SIZE'] ??= '12';

const { config, role } = configOrExit();
const output = openLogger(config.logLevel);
logWarnings(output.logger);
const watchdog = new Watchdog();
await run(config, output);

async function run({ dataDir }: Config, { logger }: OpenedLogger): Promise<void> {
  const giveUp = new AbortController();
  const starting = started(giveUp.signal);
  stopOnSignal(starting, giveUp);
  try {
    const running = await starting;
    if (giveUp.signal.aborted) return;
    // A debugger holds threads for as long as somebody looks at them.
    if (inspectorUrl() === undefined) watchdog.arm();
    // Of several processes of ingest the first says it, for all.
    const say = cluster.isPrimary ? 'info' : 'debug';
    logger[say]({ address: running.address, role, dataDir, node: process.version }, 'ready');
    await running.ended;
  } catch (error) {
    if (!hasCode(error, 'STOPPING')) fail(error);
  }
}

/** @throws TidemarkError `STOPPING` where it was told to stop and the start has come to nothing, for whatever reason. */
async function started(signal: AbortSignal): Promise<Running> {
  let running: Running;
  try {
    running = await startRole(role, config, output, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // Ctrl-C reaches the children that a start has: it fails then, which is no failure.
    output.logger.debug({ err: error }, 'the start ended where it was told to stop');
    throw new TidemarkError('STOPPING', 'it was told to stop while it started', { cause: error });
  }
  // Keys that are not shown now are replaced, and shown, at the next start.
  if (!signal.aborted) await tellFirstStart(running, signal);
  return running;
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
    // The contract says 15 s from the signal to the exit. What is not closed by then is left to the stores' recovery.
    watchdog.stop();
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
async function tellFirstStart({ address, firstStart }: Running, signal: AbortSignal): Promise<void> {
  if (firstStart === undefined || firstStart.keys.length === 0) return;
  const { logger } = output;
  const writeKey = firstStart.keys.find(({ scope }) => scope === 'write')?.key;
  const example = writeKey === undefined ? '' : `A first event:\n\n${firstRequest(address, writeKey)}\n\n`;
  const where = role === 'all' ? `The data are in ${config.dataDir}.\n` : '';
  if (!(await isPrinted(`\n${firstStartNotice(firstStart)}\n${where}${example}`))) {
    logger.warn('nobody reads the keys of the first project: the next start makes others in their place');
    return;
  }
  const onTrouble = (error: unknown): void => logger.warn({ err: error }, 'waiting to note that the keys were shown');
  const isNoted = await retry(() => firstStart.noteShown(), { signal, onTrouble }).catch((error: unknown) => {
    if (hasCode(error, 'STOPPING')) return true;
    throw error;
  });
  if (!isNoted) {
    logger.warn('another process has made other keys in place of those shown here: its output has them');
  }
}

/** Whether somebody may have got it: not where standard output is closed (Node has the null device then) or thrown away. */
function isPrinted(text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  process.stdout.on('error', () => resolve(false));
  process.stdout.write(text, (error) => resolve(!error && !isNullDevice(fstatSync(1))));
  return promise;
}

function isNullDevice({ rdev }: Stats): boolean {
  return rdev !== 0 && rdev === statSync('/dev/null').rdev;
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

/** A line of curl that works as it stands: what a newcomer's first start prints. */
export function firstRequest(address: string, writeKey: string): string {
  const body = JSON.stringify({ user_id: 'ada', event: 'Signed Up', properties: { plan: 'pro' } });
  return `  curl -s ${address}/v1/track -H 'api_key: ${writeKey}' -H 'Content-Type: application/json' -d '${body}'`;
}
