import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandGroup, CommandName, CommandResults, StoreName } from '../app/commands.ts';
import { checkDataFolders, isServer } from '../app/embedded.ts';
import type { CommandArguments, Progress } from '../runtime/command.ts';
import { type Config, readConfig } from '../runtime/config.ts';
import { askControl } from '../runtime/control/client.ts';
import { controlSocketPath } from '../runtime/control/socket.ts';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../runtime/folder-lock.ts';
import { createLogger, type Logger } from '../runtime/logger.ts';
import type { CliContext } from './context.ts';

export interface CarryOutOptions {
  readonly onProgress?: (progress: Progress) => void;
}

/** A command to be carried out. */
interface CommandOrder extends CarryOutOptions {
  readonly name: string;
  readonly group: CommandGroup;
  readonly args: CommandArguments;
  readonly signal: AbortSignal | undefined;
}

type CommandContext = Pick<CliContext, 'env' | 'err' | 'signal'>;

/** A service that is starting or stopping has its folder locked for some seconds without answering. */
const SERVICE_WAIT_MS = 15_000;
const SERVICE_POLL_MS = 100;

/**
 * Carries out a command. Where the command needs an embedded store and a service has it open, the service carries it
 * out; else this process opens the stores that the command needs. Stores on servers take any number of clients, so no
 * service is asked for them.
 *
 * @throws TidemarkError what the command throws; `FOLDER_EXPOSED`; `CONTROL_UNAVAILABLE` where a service runs but does
 *   not answer; the reason of the context's signal once that is aborted.
 */
export async function carryOut<Name extends CommandName>(
  context: CommandContext,
  name: Name,
  args: CommandArguments,
  options: CarryOutOptions = {},
): Promise<CommandResults[Name]> {
  const config = readConfig(context.env);
  checkDataFolders(config);
  // Imported late: a command that asks the service over HTTP starts without the code of the stores.
  const { groupOf } = await import('../app/commands.ts');
  const group = groupOf(name);
  const order = { name, group, args, signal: context.signal, ...options };
  const isEmbedded = group.needs.some((need) => !isServer(urlOf(config, need)));
  const result = await (isEmbedded ? onEmbeddedStores(context, config, order) : onStores(context, config, order));
  return result as CommandResults[Name];
}

/** The codec has no store of its own. */
function urlOf({ eventLogUrl, profilesUrl, analyticsUrl }: Config, store: StoreName): string {
  return { log: eventLogUrl, database: profilesUrl, analytics: analyticsUrl, codec: 'none:' }[store];
}

async function onEmbeddedStores(context: CommandContext, config: Config, order: CommandOrder): Promise<unknown> {
  checkData(config, order.name);
  const waitEnds = performance.now() + SERVICE_WAIT_MS;
  for (;;) {
    const answer = await askService(config, order);
    if ('result' in answer) return answer.result;
    const lock = tryLock(config.dataDir);
    if (lock !== undefined) return onLockedStores(lock, context, config, order);
    if (performance.now() > waitEnds) throw answer.unavailable;
    await delay(SERVICE_POLL_MS, undefined, { signal: order.signal });
  }
}

/** Without this check, `project list` in the wrong folder would create an installation there. */
function checkData({ dataDir }: Config, name: string): void {
  if (name === 'project create' || existsSync(dataDir)) return;
  const message = `There is no data folder ${dataDir}. Set DATA_DIR to that of the service, or start the service first.`;
  throw new TidemarkError('CONFIG_INVALID', message);
}

async function askService(
  { dataDir }: Config,
  { name, args, signal, onProgress }: CommandOrder,
): Promise<{ result: unknown } | { unavailable: TidemarkError }> {
  try {
    return { result: await askControl(controlSocketPath(dataDir), name, args, { signal, onProgress }) };
  } catch (error) {
    if (hasCode(error, 'CONTROL_UNAVAILABLE')) return { unavailable: error };
    throw error;
  }
}

function tryLock(folder: string): FolderLock | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (hasCode(error, 'FOLDER_IN_USE')) return undefined;
    throw error;
  }
}

async function onLockedStores(
  lock: FolderLock,
  context: CommandContext,
  config: Config,
  order: CommandOrder,
): Promise<unknown> {
  try {
    return await onStores(context, config, order);
  } finally {
    lock.release();
  }
}

async function onStores(
  context: CommandContext,
  config: Config,
  { name, group: { needs, commands }, args, signal, onProgress }: CommandOrder,
): Promise<unknown> {
  const { closeStores, openNeeded } = await import('../app/open-stores.ts');
  const logger = warningsTo(context);
  const stores = await openNeeded(config, logger, needs);
  try {
    const command = commands({ ...stores, config, logger })[name];
    if (command === undefined) throw new TidemarkError('COMMAND_INVALID', `There is no command ${name}.`);
    const call = { report: onProgress ?? (() => undefined), signal: signal ?? new AbortController().signal };
    call.signal.throwIfAborted();
    return await command(args, call);
  } finally {
    await closeStores(stores);
  }
}

/** A logger that prints its warnings for a person, as text. */
export function warningsTo({ err }: CommandContext): Logger {
  return createLogger('warn', {
    write: (line) => {
      const { msg, err: cause } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
      err(`warning: ${[msg, cause?.message].filter((part) => part !== undefined).join(': ')}\n`);
    },
  });
}
