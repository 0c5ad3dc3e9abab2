import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Answer } from '../../schemas/operations.ts';
import { keepDigits } from '../messages/exact-number.ts';
import { readConfig } from '../runtime/config.ts';
import { roomOf, usedBytes } from '../runtime/disk-usage.ts';
import { type CliContext, ExitCode } from './context.ts';
import { JSON_OPTION, mebibytes, type OutputOptions, printJson, rounded, table } from './print.ts';
import { pathTo } from './client/operation.ts';
import { HttpStatusError, type ServiceClient, ServiceUnreachable } from './client/service-client.ts';
import {
  addUrlOption,
  clientWithKey,
  clientWithoutKey,
  keyOf,
  type ServiceOptions,
  serviceUrl,
} from './client/service-options.ts';
import { clientOfRunning } from './client/with-service.ts';
import { installationText } from './installation-status.ts';
import { type DiskStatus, parseMetrics, type ServiceStatus, statusDown, statusOf } from './service-status.ts';

type Installation = Answer<'GET /v1/admin/status'>;

/** The exit code where something wants attention, or nothing answers. */
const EXIT_ATTENTION = 1;

const SAMPLE_MS = 1_000;
const ANSWER_WITHIN_MS = 10_000;

export function addStatus(root: Command, context: CliContext): void {
  const command = root
    .command('status')
    .description('say whether the service is well, and what wants attention; exits with 1 where something does')
    .option(...JSON_OPTION);
  addUrlOption(command).action(async ({ json, ...options }: OutputOptions & ServiceOptions) => {
    const installation = await installationStatus(context, options);
    if (installation !== undefined) {
      if (json) printJson(context, installation);
      else context.out(installationText(serviceUrl(context, options.url), installation));
      if (installation.attention.length > 0) throw new ExitCode(EXIT_ATTENTION);
      return;
    }
    const hasKey = keyOf(context, options) !== undefined;
    const client = hasKey ? clientWithKey(context, options) : clientWithoutKey(context, options);
    const disk = options.url === undefined ? await localDisk(context) : null;
    const status = await observe(client, disk, context.signal);
    if (json) printJson(context, status);
    else context.out(statusText(status));
    if (status.attention.length > 0) throw new ExitCode(EXIT_ATTENTION);
  });
}

/** What an operator is told; undefined without a key and the socket of this machine, and where no service tells it. */
async function installationStatus(context: CliContext, options: ServiceOptions): Promise<Installation | undefined> {
  const hasKey = keyOf(context, options) !== undefined;
  const isLocal = options.url === undefined && !hasKey;
  const client = isLocal ? await clientOfRunning(context) : hasKey ? clientWithKey(context, options) : undefined;
  if (client === undefined) return undefined;
  try {
    const response = await ask(client, pathTo('GET /v1/admin/status'));
    if (response.status === 401 && !(await hasMetricsKey(context, options))) await client.expectOk(response, 'admin');
    return response.ok ? (JSON.parse(await response.text(), keepDigits) as Installation) : undefined;
  } catch (error) {
    if (error instanceof ServiceUnreachable) return undefined;
    throw error;
  }
}

/** Whether the key is the one that `/metrics` asks for: it opens nothing else. */
async function hasMetricsKey(context: CliContext, options: ServiceOptions): Promise<boolean> {
  const opens = async (client: ServiceClient): Promise<boolean> => {
    const response = await ask(client, pathTo('GET /metrics'));
    await response.body?.cancel();
    return response.ok;
  };
  return !(await opens(clientWithoutKey(context, options))) && opens(clientWithKey(context, options));
}

async function observe(
  client: ServiceClient,
  disk: DiskStatus | null,
  signal: AbortSignal | undefined,
): Promise<ServiceStatus> {
  try {
    const front = await readJsonAnswer<Partial<Answer<'GET /'>>>(client, pathTo('GET /'));
    if (front.name !== 'Tidemark') return statusDown(client.url, 'what answers there is not Tidemark', disk);
    const [startedAt, before] = [performance.now(), parseMetrics(await readText(client, pathTo('GET /metrics')))];
    await delay(SAMPLE_MS, undefined, { signal });
    const after = parseMetrics(await readText(client, pathTo('GET /metrics')));
    const seconds = (performance.now() - startedAt) / 1_000;
    const readiness = await readReadiness(client);
    return statusOf({ url: client.url, version: await readVersion(client), readiness, before, after, seconds, disk });
  } catch (error) {
    if (error instanceof ServiceUnreachable || error instanceof HttpStatusError || error instanceof SyntaxError) {
      return statusDown(client.url, error.message, disk);
    }
    throw error;
  }
}

function ask(client: ServiceClient, path: string): Promise<Response> {
  return client.get(path, {}, AbortSignal.timeout(ANSWER_WITHIN_MS));
}

async function readText(client: ServiceClient, path: string): Promise<string> {
  return (await client.expectOk(await ask(client, path), 'admin')).text();
}

async function readJsonAnswer<T>(client: ServiceClient, path: string): Promise<T> {
  return JSON.parse(await readText(client, path)) as T;
}

/** 503 has the same body. */
async function readReadiness(client: ServiceClient) {
  const response = await ask(client, pathTo('GET /readyz'));
  if (response.status !== 503) await client.expectOk(response);
  const { ready, parts } = JSON.parse(await response.text()) as Partial<Answer<'GET /readyz'>>;
  return { ready: ready === true, parts: parts ?? {} };
}

/** Null where the process has no interface for messages, as the role projector. */
async function readVersion(client: ServiceClient): Promise<string | null> {
  const response = await ask(client, pathTo('GET /openapi.json'));
  if (!response.ok) return null;
  const { info } = JSON.parse(await response.text()) as { readonly info?: { readonly version?: string } };
  return info?.version ?? null;
}

/** The disk of the data folder on this machine; null where that does not exist. */
async function localDisk({ env }: CliContext): Promise<DiskStatus | null> {
  const { dataDir } = readConfig(env);
  if (!existsSync(dataDir)) return null;
  const { freeBytes } = await roomOf(dataDir);
  return { folder: dataDir, free_bytes: freeBytes, used_bytes: await usedBytes(dataDir) };
}

function statusText(status: ServiceStatus): string {
  const { url, up, version, ready, parts, accepted_per_second: accepted, readers, disk, attention } = status;
  const name = version === null ? 'Tidemark' : `Tidemark ${version}`;
  const head = up ? `${name} at ${url} is ${ready ? 'ready' : 'NOT READY'}.\n` : `No Tidemark is up at ${url}.\n`;
  const lines = [
    ...Object.entries(parts).map(([part, state]) => [part, state]),
    ...(accepted === null ? [] : [['accepted', `${rounded(accepted)} messages/s`]]),
    ...Object.entries(readers).map(([reader, { lag_messages, lag_seconds, messages_per_second }]) => {
      const time = lag_seconds === null ? '' : ` (about ${rounded(lag_seconds)} s)`;
      return [reader, `${rounded(messages_per_second)} messages/s, ${lag_messages} behind${time}`];
    }),
    ...(disk === null
      ? []
      : [['disk', `${mebibytes(disk.used_bytes)} used, ${mebibytes(disk.free_bytes)} free at ${disk.folder}`]]),
  ];
  const wanted = attention.map(({ what, why }) => `  ${what}: ${why}\n`).join('');
  const end = wanted === '' ? 'Nothing wants attention.\n' : `Wants attention:\n${wanted}`;
  return `${head}${lines.length === 0 ? '' : table(lines[0] ?? [], lines.slice(1))}${end}`;
}
