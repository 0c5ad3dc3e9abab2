/**
 * The service, once main.js has checked the version of Node: reads the configuration and the role, starts the role, and
 * stops it on a signal. `startRole` (app/start-role.ts) names the class of each role.
 */
import cluster from 'node:cluster';
import { fstatSync, type Stats, statSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { withinDescriptors } from './http/descriptors.ts';
import { checkRole, type Role, roleOf, type Running } from './app/role.ts';
import { makesStores, readyText, startingText } from './app/start-messages.ts';
import { startRole } from './app/start-role.ts';
import { type Config, readConfig } from './runtime/config.ts';
import { hasCode, TidemarkError } from './runtime/errors.ts';
import { type OpenedLogger, openLogger } from './runtime/logger.ts';
import { logWarnings } from './runtime/node-warnings.ts';
import { retry } from './runtime/retry.ts';
import { programVersion } from './runtime/version.ts';
import { Watchdog } from './runtime/watchdog/watchdog.ts';
import { firstStartNotice } from './stores/projects/first-start.ts';

// Every file that is created from here on, by child processes too, belongs to this user alone.
process.umask(0o077);

// Every chDB statement under way occupies a thread of libuv's pool, up to 4 at once and a question for seconds; files and
// decompression need threads too. libuv reads the setting at its first use, which comes after this line.
process.env['UV_THREADPOOL_SIZE'] ??= '12';

const { config: given, role } = configOrExit();
const output = openLogger(given.logLevel);
logWarnings(output.logger);
const config = withinDescriptors(given, output.logger);
const watchdog = new Watchdog();
const version = programVersion();
await run(config, output);

async function run({ dataDir }: Config, { logger }: OpenedLogger): Promise<void> {
  const aborting = new AbortController();
  // Nobody reads it any more, which is no reason to end.
  process.stdout.on('error', () => undefined);
  printStarting();
  const starting = started(aborting.signal);
  stopOnSignal(starting, aborting);
  try {
    const running = await starting;
    if (aborting.signal.aborted) return;
    // A debugger may stop threads for any time.
    if (inspectorUrl() === undefined) watchdog.arm();
    // The primary of several processes of ingest logs it for all.
    const level = cluster.isPrimary ? 'info' : 'debug';
    const node = `${process.version} (${process.execPath})`;
    logger[level]({ address: running.address, role, dataDir, node }, 'ready');
    await printReady(running);
    await running.ended;
  } catch (error) {
    if (!hasCode(error, 'STOPPING')) fail(error);
  }
}

/**
 * Whether lines for people are printed: always on a terminal, elsewhere by a first start alone, so that what collects the
 * log gets lines of JSON. The primary of several processes of ingest prints them.
 */
function isForPeople(isFirstStart: boolean): boolean {
  return cluster.isPrimary && (process.stdout.isTTY || isFirstStart);
}

function printStarting(): void {
  const facts = { version, role, config, makesStores: makesStores(role, config) };
  if (isForPeople(facts.makesStores)) process.stdout.write(startingText(facts));
}

async function printReady(running: Running): Promise<void> {
  const { address, firstStart } = running;
  if (!isForPeople(firstStart !== undefined)) return;
  // The database may be unreachable by now.
  const projects = await running.projectNames().catch(() => []);
  process.stdout.write(readyText({ version, role, address, projects, console: config.console }));
}

/** @throws TidemarkError `STOPPING` where a signal arrived and the start has failed, for any reason. */
async function started(signal: AbortSignal): Promise<Running> {
  let running: Running;
  try {
    running = await startRole(role, config, output, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // Ctrl-C also reaches child processes, which makes the start fail: that is not an error.
    output.logger.debug({ err: error }, 'the process was stopped while it started');
    throw new TidemarkError('STOPPING', 'the process was stopped while it started', { cause: error });
  }
  // Keys that are not printed now are replaced at the next start, which prints the new ones.
  if (!signal.aborted) await printFirstKeys(running, signal);
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

/** A repeated signal has no effect: Ctrl-C reaches the process once from the terminal and once from npm. */
function stopOnSignal(starting: Promise<Running>, aborting: AbortController): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    // The process must end within 15 s of the signal. Stores that are not closed by then recover at the next start.
    watchdog.stop();
    output.logger.info({ signal }, 'stopping');
    aborting.abort();
    void starting
      .then(
        (running) => running.stop(),
        (error: unknown) => {
          // The start was still waiting for a server.
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

/** Not by the logger: keys are printed once, for the person who starts the service, and must not be in a log. */
async function printFirstKeys({ address, firstStart }: Running, signal: AbortSignal): Promise<void> {
  if (firstStart === undefined || firstStart.keys.length === 0) return;
  const { logger } = output;
  const writeKey = firstStart.keys.find(({ scope }) => scope === 'write')?.key;
  const example = writeKey === undefined ? '' : `A first event:\n\n${firstRequest(address, writeKey)}\n\n`;
  const where = role === 'all' ? `The data are in ${config.dataDir}.\n` : '';
  if (!(await isPrinted(`\n${firstStartNotice(firstStart)}\n${where}${example}`))) {
    logger.warn(
      'standard output is closed, so the keys of the first project were not shown: the next start replaces them',
    );
    return;
  }
  const onTrouble = (error: unknown): void =>
    logger.warn({ err: error }, 'cannot record now that the keys were shown: waiting');
  const isNoted = await retry(() => firstStart.noteShown(), { signal, onTrouble }).catch((error: unknown) => {
    if (hasCode(error, 'STOPPING')) return true;
    throw error;
  });
  if (!isNoted) {
    logger.warn('another process has replaced the keys shown here: its output has the new ones');
  }
}

/** Whether the text may have been read: not where standard output is closed (Node opens the null device then) or discarded. */
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

/** A curl command that works as printed. */
function firstRequest(address: string, writeKey: string): string {
  const body = JSON.stringify({ user_id: 'ada', event: 'Signed Up', properties: { plan: 'pro' } });
  return `  curl -s ${address}/v1/track -H 'api_key: ${writeKey}' -H 'Content-Type: application/json' -d '${body}'`;
}
