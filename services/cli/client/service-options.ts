/** Which service a subcommand asks: by --url and --key, or by the settings of the service. */
import { type Command, InvalidArgumentError } from 'commander';
import { commandInvalid } from '../../runtime/command.ts';
import { readConfig } from '../../runtime/config.ts';
import { hostInUrl } from '../../runtime/server-url.ts';
import type { CliContext } from '../context.ts';
import { ServiceClient } from './service-client.ts';

type ServiceSettings = Pick<CliContext, 'env' | 'service'>;
type ServiceOptions = NonNullable<ServiceSettings['service']>;

const URL_OPTION = ['--url <url>', 'address of the service (default: the service on this machine)'] as const;
const KEY_OPTION = ['--key <key>', 'a key for that service (default: TIDEMARK_KEY)'] as const;

/** For commands that a read key opens. */
export function addServiceOptions(command: Command): Command {
  return command
    .option(...URL_OPTION)
    .option(
      '--key <key>',
      'a key with the scope read or admin (default: TIDEMARK_KEY, else the service on this machine)',
    )
    .option('--project <project>', 'the id or name of the project, for a key of the installation');
}

/** What asks no service. */
const OWN: readonly string[] = ['completion', 'migrate', 'restore', 'renew'];

/** Gives every subcommand the options of a service that have none of their own, and lets none take two projects. */
export function addServiceOptionsBelow(command: Command): void {
  for (const child of command.commands) addServiceOptionsBelow(child);
  if (command.commands.length > 0 || OWN.includes(command.name())) return;
  command.options.find(({ long }) => long === '--project')?.argParser(sameProject);
  for (const option of [URL_OPTION, KEY_OPTION]) {
    const [name] = option[0].split(' ');
    if (!command.options.some(({ long }) => long === name)) command.option(option[0], option[1]);
  }
}

/**
 * The service that the options name. A key without an address is for the port of the service on this machine, whose socket
 * asks for none.
 *
 * @throws TidemarkError `COMMAND_INVALID`
 */
export function namedService({ env }: Pick<CliContext, 'env'>, options: ServiceOptions): ServiceOptions {
  const { url, key } = options;
  return url === undefined && key !== undefined ? { ...options, url: serviceUrl({ env }) } : options;
}

function sameProject(project: string, before: string | undefined): string {
  if (before === undefined || before === project) return project;
  throw new InvalidArgumentError(`Two projects are named: ${before} and ${project}.`);
}

/** With the key that is given, if one is. @throws TidemarkError `COMMAND_INVALID` */
export function clientOf(context: ServiceSettings & Pick<CliContext, 'signal'>): ServiceClient {
  return new ServiceClient({ url: serviceUrl(context), key: keyOf(context) }, context.signal);
}

/** Undefined where none is given. @throws TidemarkError `COMMAND_INVALID` */
export function keyOf({ env, service }: ServiceSettings): string | undefined {
  const key = service?.key ?? env['TIDEMARK_KEY'];
  if (key === undefined || key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw commandInvalid('The key has characters that no key has.');
}

/** Without a slash at the end. @throws TidemarkError `COMMAND_INVALID` */
export function serviceUrl({ env, service: { url } = {} }: ServiceSettings): string {
  if (url !== undefined) {
    const isUsable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (isUsable) return url.replace(/\/+$/, '');
    throw commandInvalid(`--url ${url} is not an address such as http://127.0.0.1:8080`);
  }
  const { host, port } = readConfig(env);
  if (port === 0) throw commandInvalid('PORT is 0: name the address of the service by --url.');
  return `http://${hostToAsk(host)}:${port}`;
}

/** A service that listens on every address is asked on this machine's own. */
function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return hostInUrl(host === '::' ? '::1' : host);
}
