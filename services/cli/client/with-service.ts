import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkDataFolders, hasEmbedded, isServer } from '../../runtime/embedded.ts';
import { type Config, readConfig } from '../../runtime/config.ts';
import { checkSocketPath, controlSocketPath } from '../../runtime/control-socket.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../../runtime/folder-lock.ts';
import { createLogger, type OpenedLogger } from '../../runtime/logger.ts';
import type { CliContext } from '../context.ts';
import { ServiceClient, ServiceUnreachable } from './service-client.ts';
import { clientOf } from './service-options.ts';

export type ServiceContext = Pick<CliContext, 'env' | 'err' | 'signal' | 'service' | 'client'>;

export interface WithServiceOptions {
  /** The settings of the stores that the requests need. */
  readonly needs: readonly ('eventLogUrl' | 'profilesUrl' | 'analyticsUrl')[];
  /** Whether it may make the data folder; else a folder that is not there is an error. */
  readonly makesFolder?: boolean;
}

/** A service that is starting or stopping has its folder locked for some seconds without answering. */
const SERVICE_WAIT_MS = 15_000;
const SERVICE_POLL_MS = 100;

/**
 * Asks a service: the one at --url; else the one whose data folder this is, at its socket. Where no service has the
 * folder, and where all stores that the requests need are on servers, which take any number of clients, this process
 * answers itself, with just those stores.
 *
 * @throws TidemarkError `FOLDER_EXPOSED`; `CONTROL_UNAVAILABLE` where a service runs but does not answer; the reason of
 *   the context's signal once that is aborted; what `use` throws.
 */
export async function withService<T>(
  context: ServiceContext,
  use: (client: ServiceClient) => Promise<T>,
  { needs, makesFolder = false }: WithServiceOptions,
): Promise<T> {
  if (context.client !== undefined) return use(context.client);
  if (context.service?.url !== undefined) return use(clientOf(context));
  const config = readConfig(context.env);
  checkDataFolders(config);
  if (needs.every((need) => isServer(config[need]))) return withOwn(context, config, use);
  checkData(config, makesFolder);

  const { signal } = context;
  const path = controlSocketPath(config.dataDir);
  checkSocketPath(path);
  const waitEnds = performance.now() + SERVICE_WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const client = localClient(path, signal);
    try {
      if (await answers(path)) return await use(client);
    } catch (error) {
      // Only what no service has heard of is asked again.
      if (!(error instanceof ServiceUnreachable) || client.hasConnected) throw error;
    }
    const lock = tryLock(config.dataDir);
    if (lock !== undefined) return withOwn(context, config, use).finally(() => lock.release());
    if (performance.now() > waitEnds) {
      throw new TidemarkError(
        'CONTROL_UNAVAILABLE',
        `A service has ${config.dataDir}, but does not answer at ${path}.`,
      );
    }
    await delay(SERVICE_POLL_MS, undefined, { signal });
  }
}

/** Without this check, `project list` in the wrong folder would create an installation there. */
function checkData({ dataDir }: Config, makesFolder: boolean): void {
  if (makesFolder || existsSync(dataDir)) return;
  const message = `There is no data folder ${dataDir}. Set DATA_DIR to that of the service, or start the service first.`;
  throw new TidemarkError('CONFIG_INVALID', message);
}

/** The client of the service that answers at the socket of the data folder; undefined where none does. */
export async function clientOfRunning(context: ServiceContext): Promise<ServiceClient | undefined> {
  const config = readConfig(context.env);
  const path = controlSocketPath(config.dataDir);
  return hasEmbedded(config) && (await answers(path)) ? localClient(path, context.signal) : undefined;
}

function localClient(socketPath: string, signal: AbortSignal | undefined): ServiceClient {
  return new ServiceClient({ url: 'http://tidemark', socketPath }, signal);
}

async function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path)
    .once('connect', () => resolve(true))
    .once('error', () => resolve(false));
  const isThere = await promise;
  socket.destroy();
  return isThere;
}

function tryLock(folder: string): FolderLock | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (hasCode(error, 'FOLDER_IN_USE')) return undefined;
    throw error;
  }
}

/** Imported late: a command that asks a service starts without the code of the stores. */
async function withOwn<T>(
  context: ServiceContext,
  config: Config,
  use: (client: ServiceClient) => Promise<T>,
): Promise<T> {
  const { startLocalService } = await import('../../app/local-service.ts');
  const service = await startLocalService({ ...config, logLevel: 'warn' }, warningsTo(context));
  try {
    return await use(localClient(service.socketPath, context.signal));
  } finally {
    await service.stop();
  }
}

/** Prints warnings for a person, as text. */
function warningsTo({ err }: Pick<CliContext, 'err'>): Pick<OpenedLogger, 'logger' | 'line'> {
  const line = (text: string): void => {
    const { msg, err: cause } = JSON.parse(text) as { msg?: string; err?: { message?: string } };
    err(`warning: ${[msg, cause?.message].filter((part) => part !== undefined).join(': ')}\n`);
  };
  return { logger: createLogger('warn', { write: line }), line };
}
