import type { Command } from 'commander';
import { type Answer, pathTo } from '../../schemas/operations.ts';
import { keepDigits } from './client/ask.ts';
import { type CliContext, ExitCode } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { type ServiceClient, ServiceUnreachable } from './client/service-client.ts';
import {
  addUrlOption,
  clientWithKey,
  clientWithoutKey,
  keyOf,
  type ServiceOptions,
  serviceUrl,
} from './client/service-options.ts';
import { clientOfRunning } from './client/with-service.ts';
import { attentionText, installationText } from './installation-status.ts';

type Installation = Answer<'GET /v1/admin/status'>;
type Attention = Installation['attention'][number];

/** What anybody is told. */
interface ServiceStatus extends Pick<Installation, 'ready' | 'parts' | 'attention'> {
  readonly url: string;
  readonly up: boolean;
}

/** The exit code where something wants attention, or nothing answers. */
const EXIT_ATTENTION = 1;

const ANSWER_WITHIN_MS = 10_000;

export function addStatus(root: Command, context: CliContext): void {
  const command = root
    .command('status')
    .description('say whether the service is well, and what wants attention; exits with 1 where something does')
    .option(...JSON_OPTION);
  addUrlOption(command).action(async ({ json, ...options }: OutputOptions & ServiceOptions) => {
    const print = (status: Installation | ServiceStatus, text: string): void => {
      if (json) printJson(context, status);
      else context.out(text);
      if (status.attention.length > 0) throw new ExitCode(EXIT_ATTENTION);
    };
    const installation = await installationStatus(context, options);
    if (installation !== undefined)
      return print(installation.status, installationText(installation.at, installation.status));
    const status = await serviceStatus(clientWithoutKey(context, options));
    return print(status, serviceText(status));
  });
}

interface Known {
  /** As "at http://host:8080". */
  readonly at: string;
  readonly status: Installation;
}

/**
 * What an operator is told; undefined without a key and the socket of this machine, and where no service tells it. The
 * environment may have a key for other commands: one that is not an admin's is as none.
 */
async function installationStatus(context: CliContext, options: ServiceOptions): Promise<Known | undefined> {
  const { url, key } = options;
  if (keyOf(context, options) !== undefined) {
    const status = await askInstallation(clientWithKey(context, options), key !== undefined);
    if (status !== undefined) return { at: `at ${serviceUrl(context, url)}`, status };
  }
  // Its service may have been started with another port than the command.
  const local = url === undefined && key === undefined ? await clientOfRunning(context) : undefined;
  const status = local === undefined ? undefined : await askInstallation(local, true);
  return status && { at: 'on this machine', status };
}

/** @throws TidemarkError where the key must be an admin's, and is not. */
async function askInstallation(client: ServiceClient, mustOpen: boolean): Promise<Installation | undefined> {
  try {
    const response = await ask(client, pathTo('GET /v1/admin/status'));
    if (response.status === 401 && mustOpen) await client.expectOk(response, 'admin');
    return response.ok ? (JSON.parse(await response.text(), keepDigits) as Installation) : undefined;
  } catch (error) {
    if (error instanceof ServiceUnreachable) return undefined;
    throw error;
  }
}

async function serviceStatus(client: ServiceClient): Promise<ServiceStatus> {
  const { url } = client;
  try {
    // 503 has the same body.
    const answer = await ask(client, pathTo('GET /readyz'));
    const { ready, parts } = JSON.parse(await answer.text()) as Partial<Answer<'GET /readyz'>>;
    if (ready === undefined || parts === undefined) return statusDown(url, NOT_TIDEMARK);
    return { url, up: true, ready, parts, attention: unreadyIn(ready, parts) };
  } catch (error) {
    if (error instanceof SyntaxError) return statusDown(url, NOT_TIDEMARK);
    if (error instanceof ServiceUnreachable) return statusDown(url, error.message);
    throw error;
  }
}

function ask(client: ServiceClient, path: string): Promise<Response> {
  return client.get(path, {}, AbortSignal.timeout(ANSWER_WITHIN_MS));
}

const NOT_TIDEMARK = 'What answers there is not Tidemark.';

function statusDown(url: string, why: string): ServiceStatus {
  return { url, up: false, ready: false, parts: {}, attention: [unready(why)] };
}

// A part that is busy has not finished its last look within a second.
const WELL: readonly string[] = ['ready', 'busy'];

function unreadyIn(ready: boolean, parts: ServiceStatus['parts']): readonly Attention[] {
  const unwell = Object.entries(parts).filter(([, state]) => !WELL.includes(state));
  const whys = unwell.map(([part, state]) => `${part} is ${state}`);
  return (ready ? whys : ['the service is not ready', ...whys]).map(unready);
}

function unready(reason: string): Attention {
  return { code: 'not_ready', reason, link: 'docs/operations.md#is-it-up' };
}

function serviceText({ url, up, ready, parts, attention }: ServiceStatus): string {
  const head = up ? `Tidemark at ${url} is ${ready ? 'ready' : 'NOT READY'}.\n` : `No Tidemark is up at ${url}.\n`;
  const [first, ...rest] = Object.entries(parts);
  return `${head}${first === undefined ? '' : table(first, rest)}${attentionText(attention)}`;
}
