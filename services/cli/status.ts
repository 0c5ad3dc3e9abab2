import { rm, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Answer, pathTo } from '../../schemas/operations.ts';
import { readConfig, visibleSettings } from '../runtime/config.ts';
import { aboutProgram } from '../runtime/version.ts';
import { keepDigits } from './client/ask.ts';
import { type CliContext, ExitCode } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { ServiceClient, ServiceUnreachable } from './client/service-client.ts';
import { clientOf, keyOf, serviceUrl } from './client/service-options.ts';
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
  root
    .command('status')
    .description('say whether the service is well, and what wants attention; exits with 1 where something does')
    .option('--bundle <file>', 'write what somebody needs who helps you to a file: no secrets, and nothing of users')
    .option(...JSON_OPTION)
    .action(async ({ json, bundle }: OutputOptions & { bundle?: string }) => {
      if (bundle !== undefined) return writeBundle(context, bundle);
      const { client, status } = await knownStatus(context);
      if (json) printJson(context, status);
      else context.out('role' in status ? installationText(client.place, status) : serviceText(status));
      if (status.attention.length > 0) throw new ExitCode(EXIT_ATTENTION);
    });
}

/** One file for somebody who helps. What is missing in it says why. */
async function writeBundle(context: CliContext, file: string): Promise<void> {
  const known = await orWhy(knownStatus(context));
  const isKnown = 'client' in known;
  const section = (path: string, read: (text: string) => unknown) =>
    isKnown ? orWhy(answerTo(known.client, path).then(read)) : known;
  const bundle = {
    made_at: new Date().toISOString(),
    program: aboutProgram(),
    settings: await orWhy(Promise.try(() => visibleSettings(readConfig(context.env)))),
    status: isKnown ? withoutPeople(known.status) : known,
    diagnosis: await section(pathTo('GET /v1/admin/diagnosis'), JSON.parse),
    metrics: await section(pathTo('GET /metrics'), (text) => text.split('\n')),
  };
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(bundle, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  context.out(`${file} is written. Read it before you send it.\n`);
}

function orWhy<T>(finding: Promise<T>): Promise<T | { readonly missing: string }> {
  return finding.catch((error: Error) => ({ missing: error.message }));
}

/** What wants attention and names a person, a receiver or an audience. */
const NAMING = /^(?:erasure|endpoint|audience)_/;

/** Without callers that no project knows, and why somebody is not forgotten yet. */
function withoutPeople({ attention, ...status }: Known['status']): object {
  const reasons = attention.map((one) => (NAMING.test(one.code) ? { ...one, reason: undefined } : one));
  return { ...status, without_project: undefined, erasures_wait_because: undefined, attention: reasons };
}

interface Known {
  readonly client: ServiceClient;
  readonly status: Installation | ServiceStatus;
}

/**
 * What an operator is told, by the key that is given, or else at the socket of this machine, whose service may have been
 * started with another port than the command. Else what anybody is told. The environment may have a key for other commands:
 * one that is not an admin's is as none.
 */
async function knownStatus(context: CliContext): Promise<Known> {
  const { url, key } = context.service ?? {};
  const hasKey = keyOf(context) !== undefined;
  const byKey = hasKey ? await askInstallation(clientOf(context), key !== undefined) : undefined;
  if (byKey !== undefined) return byKey;
  const local = url === undefined && key === undefined ? await clientOfRunning(context) : undefined;
  const here = local === undefined ? undefined : await askInstallation(local, true);
  if (here !== undefined) return here;
  const client = new ServiceClient({ url: serviceUrl(context) }, context.signal);
  return { client, status: await serviceStatus(client) };
}

/** @throws TidemarkError where the key must be an admin's, and is not. */
async function askInstallation(client: ServiceClient, mustOpen: boolean): Promise<Known | undefined> {
  try {
    const response = await ask(client, pathTo('GET /v1/admin/status'));
    if (response.status === 401 && mustOpen) await client.expectOk(response, 'admin');
    if (!response.ok) return undefined;
    return { client, status: JSON.parse(await response.text(), keepDigits) as Installation };
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

async function answerTo(client: ServiceClient, path: string): Promise<string> {
  return (await client.expectOk(await ask(client, path), 'admin')).text();
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
