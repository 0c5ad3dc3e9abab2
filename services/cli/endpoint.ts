import { type Command, Option } from 'commander';
import { type Answer, type Body, operation } from '../../schemas/operations.ts';
import { commandInvalid } from '../runtime/command.ts';
import { askFor, type ServiceRequest } from './client/ask.ts';
import { onePage } from './client/pages.ts';
import { withService } from './client/with-service.ts';
import { addOperands, askAudiences, bodyWith, type ProjectOption, readOperands } from './audience/audience-request.ts';
import { type CliContext, ExitCode } from './context.ts';
import { positiveInteger } from './options.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson, table } from './print.ts';

interface Options extends OutputOptions, ProjectOption {
  readonly installation?: true;
}

const ENDPOINT_TYPES = ['audience.changed', 'user.forgotten', 'dead_letter.waiting', 'verification.differs'] as const;

export function addEndpoint(root: Command, context: CliContext): void {
  const endpoint = root
    .command('endpoint')
    .description('Webhooks: where changes of audiences are posted, or written to a topic');
  addEndpointCreate(endpoint, context);
  addEndpointList(endpoint, context);
  addOfEndpoint(endpoint, context, 'show', 'show an endpoint, and how far it is');
  addEndpointChange(endpoint, context);
  addOfEndpoint(endpoint, context, 'delete', 'delete an endpoint and its deliveries');
  addEndpointRotate(endpoint, context);
  addEndpointTest(endpoint, context);
  addEndpointResend(endpoint, context);
  addEndpointDeliveries(endpoint, context);
}

interface SettingOptions extends Options {
  readonly description?: string;
  readonly audience?: readonly string[];
  readonly traits?: string;
  readonly initial?: 'members' | 'none';
  readonly batchSize?: number;
  readonly type?: readonly string[];
}

/** Options of what is sent, of the commands that make and change an endpoint. */
function addSettings(command: Command): Command {
  return command
    .option('--description <text>', 'a text for people')
    .option('--audience <id>', 'only changes of this audience; may be repeated (default: all)', another)
    .option(
      '--type <type>',
      `what is sent: ${ENDPOINT_TYPES.join(', ')}; may be repeated (default: ${ENDPOINT_TYPES[0]})`,
      another,
    )
    .option('--traits <names>', 'traits beside each user: email,name,account.plan, or * for all')
    .addOption(
      new Option('--initial <what>', 'whether who is in an audience at the beginning is sent first').choices([
        'members',
        'none',
      ]),
    )
    .option('--batch-size <count>', 'the most changes in a message', positiveInteger(4, 'It is from 1 to 1000.'))
    .option(...JSON_OPTION);
}

/** Whose endpoints are asked about; the only project's where nothing is named. */
interface EndpointOwner extends Pick<Options, 'installation'> {
  readonly project: string | undefined;
}

/** Adds the operands, and the option that takes the place of a project. */
function addNames(command: Command, names: readonly string[]): Command {
  return addOperands(command, names).option('--installation', 'endpoints of the installation, which are of no project');
}

/** Asks about the endpoints of a project, or of the installation, which is asked about without one. @throws as `askFor`. */
function askOwner<T>(
  context: CliContext,
  { project, installation }: EndpointOwner,
  requestOf: (project: string | undefined) => ServiceRequest<T>,
): Promise<T> {
  if (!installation) return askAudiences(context, project, requestOf);
  if (project !== undefined) throw commandInvalid('--installation leaves no room for a project.');
  const { signal } = context;
  return withService(context, (client) => askFor(client, requestOf(undefined), { signal }), {
    needs: ['profilesUrl', 'analyticsUrl'],
  });
}

function another(id: string, before: readonly string[] = []): readonly string[] {
  return [...before, id];
}

function settingsIn({ description, audience: audiences, traits, initial, batchSize, type: types }: SettingOptions) {
  return { description, audiences: audiences && [...audiences], types, traits, initial, batch_size: batchSize };
}

const CREATE = 'make an endpoint of a URL and show its secret, only this once; or of kafka:tidemark.audience-change';

function addEndpointCreate(parent: Command, context: CliContext): void {
  const names = ['address'];
  addSettings(addNames(parent.command('create').description(CREATE), names)).action(
    async (words: readonly string[], options: SettingOptions) => {
      const { project, values } = readOperands(words, names, options);
      const body = bodyWith({}, { url: values[0], ...settingsIn(options) });
      const made = await askOwner(context, { ...options, project }, (named) =>
        operation('POST /v1/endpoints', { query: { project: named }, body }),
      );
      printSecret(context, made, options);
    },
  );
}

function addEndpointList(parent: Command, context: CliContext): void {
  addNames(parent.command('list').description('list the endpoints, newest first'), [])
    .option(...JSON_OPTION)
    .action(async (word: string | undefined, options: Options) => {
      const { project } = readOperands(word, [], options);
      const listed = await onePage({ limit: Infinity, pageLimit: 1_000 }, (limit, cursor) =>
        askOwner(context, { ...options, project }, (named) =>
          operation('GET /v1/endpoints', { query: { limit, cursor, project: named } }),
        ),
      );
      if (options.json) printJson(context, listed);
      else context.out(table(['ID', 'URL', 'AUDIENCES', 'STATE', 'WAITING SINCE'], listed.endpoints.map(endpointRow)));
    });
}

type ListedEndpoint = Answer<'GET /v1/endpoints'>['endpoints'][number];

function endpointRow({ id, url, audiences, disabled_because: disabled, failures, ...rest }: ListedEndpoint): string[] {
  const failing = failures === 0 ? 'enabled' : `failing (${failures})`;
  const state = disabled === null ? failing : `disabled (${disabled})`;
  return [id, oneLine(url), audiences === null ? 'all' : String(audiences.length), state, rest.waiting_since ?? '-'];
}

type OfOwner = (project: string | undefined) => ServiceRequest;

const OF_ENDPOINT: Readonly<Record<'show' | 'delete', (id: string) => OfOwner>> = {
  show: (id) => (project) => operation('GET /v1/endpoints/{id}', { path: { id }, query: { project } }),
  delete: (id) => (project) => operation('DELETE /v1/endpoints/{id}', { path: { id }, query: { project } }),
};

/** A subcommand that takes nothing but an endpoint. */
function addOfEndpoint(parent: Command, context: CliContext, name: 'show' | 'delete', description: string): void {
  const names = ['id'];
  addNames(parent.command(name).description(description), names)
    .option(...JSON_ANYWAY)
    .action(async (words: readonly string[], options: Options) => {
      const { project, values } = readOperands(words, names, options);
      printJson(context, await askOwner(context, { ...options, project }, OF_ENDPOINT[name](values[0] ?? '')));
    });
}

const JSON_ANYWAY = ['--json', 'print JSON, as without it'] as const;

interface ChangeOptions extends SettingOptions {
  readonly to?: string;
  readonly allAudiences?: true;
  readonly withoutTraits?: true;
  readonly enable?: true;
  readonly disable?: true;
}

function addEndpointChange(parent: Command, context: CliContext): void {
  const names = ['id'];
  addSettings(addNames(parent.command('change').description('change what is named of an endpoint'), names))
    .option('--to <address>', 'post to this URL from now on')
    .option('--all-audiences', 'changes of every audience')
    .option('--without-traits', 'no traits beside users')
    .option('--enable', 'send to it again, at once')
    .option('--disable', 'send nothing until it is enabled')
    .action(async (words: readonly string[], options: ChangeOptions) => {
      const { project, values } = readOperands(words, names, options);
      const { to: url, allAudiences, withoutTraits, enable, disable } = options;
      if (enable && disable) throw commandInvalid('An endpoint is enabled or disabled: give one of the two.');
      if (allAudiences && options.audience) throw commandInvalid('--all-audiences leaves no room for --audience.');
      const enabled = (enable ?? disable) === undefined ? undefined : enable === true;
      const cleared = { ...(allAudiences && { audiences: null }), ...(withoutTraits && { traits: null }) };
      const body = { url, enabled, ...settingsIn(options), ...cleared } as Body<'PATCH /v1/endpoints/{id}'>;
      const path = { id: values[0] ?? '' };
      const changed = await askOwner(context, { ...options, project }, (named) =>
        operation('PATCH /v1/endpoints/{id}', { path, query: { project: named }, body }),
      );
      printJson(context, changed);
    });
}

function addEndpointRotate(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'give an endpoint another secret, and show it, only this once';
  addNames(parent.command('rotate').description(description), names)
    .option('--keep-old <hours>', 'for how long the old one signs too, 0 to 168', keptHours, 24)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { keepOld, ...options }: Options & { readonly keepOld: number }) => {
      const { project, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      const made = await askOwner(context, { ...options, project }, (named) =>
        operation('POST /v1/endpoints/{id}/rotate', {
          path,
          query: { project: named },
          body: { keep_old_hours: keepOld },
        }),
      );
      printSecret(context, made, options);
    });
}

function keptHours(text: string): number {
  return text === '0' ? 0 : positiveInteger(3, 'It is a whole number of hours from 0 to 168.')(text);
}

function addEndpointTest(parent: Command, context: CliContext): void {
  const names = ['id'];
  addNames(parent.command('test').description('send a test, and say what was answered'), names)
    .option(...JSON_ANYWAY)
    .action(async (words: readonly string[], options: Options) => {
      const { project, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      const sent = await askOwner(context, { ...options, project }, (named) =>
        operation('POST /v1/endpoints/{id}/test', { path, query: { project: named } }),
      );
      printJson(context, sent);
      if (sent.state !== 'delivered') throw new ExitCode(1);
    });
}

interface ResendOptions extends Options {
  readonly since?: string;
  readonly delivery?: string;
}

function addEndpointResend(parent: Command, context: CliContext): void {
  const names = ['id'];
  addNames(parent.command('resend').description('send again, one delivery or all changes since a time'), names)
    .option('--since <time>', 'every change of evaluations after this time, in new messages')
    .option('--delivery <delivery>', 'this delivery, under the same id')
    .option(...JSON_ANYWAY)
    .action(async (words: readonly string[], { since, delivery, ...options }: ResendOptions) => {
      const { project, values } = readOperands(words, names, options);
      const [id = ''] = values;
      if (since !== undefined && delivery !== undefined) throw commandInvalid('Give --since or --delivery.');
      const answer = await askOwner<unknown>(context, { ...options, project }, (named) => {
        const query = { project: named };
        return delivery === undefined
          ? operation('POST /v1/endpoints/{id}/resend', { path: { id }, query, body: bodyWith({}, { since }) })
          : operation('POST /v1/endpoints/{id}/deliveries/{delivery}/resend', { path: { id, delivery }, query });
      });
      printJson(context, answer);
    });
}

interface DeliveriesOptions extends Options {
  readonly state?: ListedDelivery['state'];
  readonly limit: number;
}

type ListedDelivery = Answer<'GET /v1/endpoints/{id}/deliveries'>['deliveries'][number];

function addEndpointDeliveries(parent: Command, context: CliContext): void {
  const names = ['id'];
  addNames(parent.command('deliveries').description('list what was sent to an endpoint, newest first'), names)
    .addOption(new Option('--state <state>', 'only those in this state').choices(['waiting', 'delivered', 'failed']))
    .option('--limit <count>', 'the most that are listed', positiveInteger(9, 'It is a whole number from 1 up.'), 20)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { state, limit: wanted, json, ...options }: DeliveriesOptions) => {
      const { project, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      const listed = await onePage({ limit: wanted, pageLimit: 1_000 }, (limit, cursor) =>
        askOwner(context, { ...options, project }, (named) =>
          operation('GET /v1/endpoints/{id}/deliveries', { path, query: { limit, cursor, state, project: named } }),
        ),
      );
      if (json) printJson(context, listed);
      else context.out(table(DELIVERY_HEAD, listed.deliveries.map(deliveryRow)));
    });
}

const DELIVERY_HEAD = ['ID', 'TYPE', 'CHANGES', 'STATE', 'CREATED', 'ATTEMPTS', 'STATUS', 'MS', 'ANSWER'];

function deliveryRow({ id, type, changes, state, created_at: at, attempts, last_attempt: last }: ListedDelivery) {
  const outcome = last === null ? ['-', '-', ''] : [String(last.status ?? '-'), String(last.took_ms), wordsOf(last)];
  return [id, type, String(changes), state, at, String(attempts), ...outcome];
}

function wordsOf({ error, answer }: NonNullable<ListedDelivery['last_attempt']>): string {
  return oneLine(error ?? answer);
}

/** Only the secret goes to standard output, for `SECRET=$(tidemark endpoint create …)`. */
function printSecret(context: CliContext, made: Answer<'POST /v1/endpoints'>, { json }: OutputOptions): void {
  if (json) return printJson(context, made);
  if (made.secret === null) return context.err(`The endpoint ${made.id} is a topic. It has no secret.\n`);
  context.err(`The secret of the endpoint ${made.id}, shown only this once:\n`);
  context.out(`${made.secret}\n`);
}
