/** Makes the commands that `x-cli` names in the OpenAPI document. */
import { Argument as CommandArgument, type Command } from 'commander';
import { operation } from '../../../schemas/operations.ts';
import { commandInvalid } from '../../runtime/command.ts';
import type { AskOptions, ServiceRequest } from '../client/ask.ts';
import { carryOut, type ListedPage, onePage } from '../client/carry-out.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';
import { oneLine, printJson, shortened } from '../print.ts';
import { withProgress } from '../progress.ts';
import { filled, tableBy } from './cells.ts';
import { documentIn } from './definition.ts';
import { type Described, describedOperations, type Field, helpOf } from './described.ts';
import { addOptions, admits, choicesOf, isDocument, valueSetBy } from './options.ts';
import {
  addProjectOption,
  withNamedProject,
  type ProjectOptions,
  readOperands,
  takesOperand,
} from './named-project.ts';

export type Options = Readonly<Record<string, unknown>> & ProjectOptions & { readonly json?: true };

/** What is sent, apart from the project and the page. */
export type SentParts = Readonly<Record<Field['in'], Record<string, unknown>>>;

/** A command under way. */
export interface RunningCommand {
  /** Its service answers already. */
  readonly context: CliContext & { readonly client: ServiceClient };
  readonly options: Options;
  readonly parts: SentParts;
  /** The request, with more parameters of the query, or more members of the body where it has one. */
  readonly requestOf: (more?: Readonly<Record<string, unknown>>) => ServiceRequest;
}

/** What the document does not say of a command. */
export interface ByHand {
  /** Adds options that are no parameter. */
  readonly options?: (command: Command) => void;
  /** Changes what is sent. May name another operation. */
  readonly change?: (parts: SentParts, options: Options) => Partial<Described> | undefined | Promise<undefined>;
  /** Asks before anything is sent. */
  readonly confirmation?: Confirmation;
  /** Asks in another way than `ask`, or makes something else of its answer. Undefined where it has printed all. */
  readonly ask?: (run: RunningCommand, ask: () => Promise<never>) => Promise<object | undefined>;
  /** Prints an answer for people. */
  readonly print?: (context: CliContext, answer: never, parts: SentParts) => void;
  /** Looks at an answer that is printed. @throws ExitCode, Error where the command then ends with another exit code. */
  readonly judge?: (answer: never) => void;
}

/** A question to the person at the keyboard, about what cannot be undone. A dry run asks nothing. */
export interface Confirmation {
  /** The option that takes its place. */
  readonly option: string;
  /** Makes the question of what a dry run answers. May complete what is sent. */
  readonly question: (run: RunningCommand, plan: () => Promise<never>) => Promise<string>;
  /** Said where nobody can be asked. */
  readonly unasked: string;
  /** Said where the person says no. */
  readonly refused: string;
}

export function addDocumentCommands(
  groupOf: (name: string) => Command,
  context: CliContext,
  byHand: Readonly<Record<string, ByHand>>,
): void {
  for (const described of describedOperations()) {
    const [name = '', group] = described.words.command.split(' ').toReversed();
    const command = groupOf(group ?? '')
      .command(name)
      .description(described.help);
    addCommand(command, context, described, byHand[described.words.command] ?? {});
  }
}

function addCommand(command: Command, context: CliContext, described: Described, byHand: ByHand): void {
  addWords(command, described);
  addProjectOption(command, described);
  byHand.options?.(command);
  addOptions(command, described);
  const { columns, words } = described;
  const isForPeople = columns !== undefined || words.lines !== undefined || byHand.print !== undefined;
  command.option('--json', isForPeople ? 'print JSON for programs' : 'print JSON, as without it');
  command.action(async () => {
    const { values, project } = wordsOf(command, described);
    const options: Options = { ...command.opts(), ...(project !== undefined && { project }) };
    const parts = await sentParts(described, values, options);
    const change = await byHand.change?.(parts, options);
    await askAndPrint(context, { ...described, ...change }, byHand, parts, options);
  });
}

function addWords(command: Command, described: Described): void {
  const { arguments: given } = described;
  if (takesOperand(described)) {
    const words = given.map(({ sets }) => `<${sets}>`).join(' ');
    const usage = `[project] ${words}`.trim();
    command.argument(given.length === 0 ? '[project]' : '<words...>', usage).usage(`[options] ${usage}`);
    return;
  }
  for (const { sets, schema, isRequired } of given) {
    const word = admits(schema, 'array') ? `${sets}...` : sets;
    const argument = new CommandArgument(isRequired ? `<${word}>` : `[${word}]`, helpOf(schema, 0));
    const choices = choicesOf(schema);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
}

function wordsOf(command: Command, described: Described): { values: readonly unknown[]; project: string | undefined } {
  const options: ProjectOptions = command.opts();
  if (!takesOperand(described)) return { values: command.processedArgs as unknown[], project: options.project };
  const words = (command.processedArgs as unknown[]).flat().filter((word) => word !== undefined) as string[];
  return readOperands(
    words,
    described.arguments.map(({ sets }) => sets),
    options,
  );
}

async function sentParts(described: Described, values: readonly unknown[], options: Options): Promise<SentParts> {
  const { arguments: given, fields, words, hasBody, pageLimit } = described;
  const { limit: _, ...defaults } = words.defaults ?? {};
  const parts: SentParts = { path: {}, query: {}, body: {} };
  for (const [name, value] of Object.entries(defaults)) {
    parts[described.name.includes(`{${name}}`) ? 'path' : hasBody ? 'body' : 'query'][name] = value;
  }
  for (const [at, argument] of given.entries()) await setField(parts, argument, values[at]);
  for (const field of fields) {
    const isOfPages = field.sets === 'limit' && pageLimit !== undefined;
    if (!isOfPages) await setField(parts, field, options[attributeOf(field.option)]);
  }
  return parts;
}

async function setField(parts: SentParts, field: Field, value: unknown): Promise<void> {
  if (value === undefined) return;
  const { in: part, sets, schema, option } = field;
  if (typeof sets !== 'string') Object.assign(parts[part], sets);
  else if (sets === 'body') Object.assign(parts.body, await documentIn(value as string, 'document'));
  else {
    const set = valueSetBy(field, isDocument(schema) ? await documentIn(value as string, option) : value);
    Object.assign(parts[part], nested(sets.split('.'), set));
  }
}

function nested([first = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

function attributeOf(option: string): string {
  return option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function askAndPrint(
  context: CliContext,
  described: Described,
  byHand: ByHand,
  parts: SentParts,
  options: Options,
) {
  await withNamedProject(context, described, options, async (client, project) => {
    const requestOf: RunningCommand['requestOf'] = (more) => requestTo(described, parts, project, more);
    const run: RunningCommand = { context: { ...context, client }, options, parts, requestOf };
    if (!(await isConfirmed(run, byHand.confirmation))) return;
    const ask = () => askByDocument(run, described) as Promise<never>;
    const answer = await (byHand.ask ?? ask)(run, ask);
    if (answer === undefined) return;
    sayWarnings(context, answer);
    if (options.json) printJson(context, answer);
    else if (byHand.print !== undefined) byHand.print(context, answer as never, parts);
    else print(context, described, answer, parts);
    const { next_cursor: next } = answer as { readonly next_cursor?: string | null };
    if (typeof next === 'string') context.err('There are more: raise --limit.\n');
    byHand.judge?.(answer as never);
  });
}

/** Whether nothing need be asked, or the person says yes. @throws TidemarkError `COMMAND_INVALID` where nobody can be asked. */
async function isConfirmed(run: RunningCommand, confirmation: Confirmation | undefined): Promise<boolean> {
  const { context, options, requestOf } = run;
  if (confirmation === undefined || options['dryRun'] === true) return true;
  const { option, question, unasked, refused } = confirmation;
  if (options[option] !== undefined) return true;
  if (context.confirm === undefined) throw commandInvalid(unasked);
  const plan = () => carryOut(context, requestOf({ dry_run: true })) as Promise<never>;
  if (await context.confirm(`${await question(run, plan)} [y/N] `)) return true;
  context.err(`${refused}\n`);
  return false;
}

function requestTo(described: Described, { path, query, body }: SentParts, project: string | undefined, more = {}) {
  const { name, project: where, hasBody, words } = described;
  const isMember = where === 'body';
  const sent = { ...body, ...(isMember && { project }), ...(hasBody && more) };
  const parameters = { ...query, ...(!isMember && where !== 'path' && { project }), ...(!hasBody && more) };
  const target = { path: { ...(where === 'path' && { id: project }), ...path }, query: parameters };
  const request = operation(name as 'POST /v1/audiences', {
    ...(target as object),
    ...(hasBody && { body: JSON.stringify(sent) }),
  });
  return { ...request, streams: words.progress !== undefined };
}

function askByDocument(
  { context, options, requestOf }: RunningCommand,
  { pageLimit, words }: Described,
): Promise<unknown> {
  const limit = Number(options['limit'] ?? words.defaults?.['limit'] ?? Infinity);
  const ask = (onProgress?: AskOptions['onProgress']): Promise<unknown> =>
    pageLimit === undefined
      ? carryOut(context, requestOf(), { onProgress })
      : onePage({ limit, pageLimit }, (most, cursor) =>
          carryOut(context, requestOf({ limit: most, cursor }) as ServiceRequest<ListedPage>, { onProgress }),
        );
  return words.progress === undefined ? ask() : withProgress(context, words.progress, ask);
}

/** Says what a definition most likely does not mean, on standard error: the answer itself is for programs. */
function sayWarnings({ err }: CliContext, answer: unknown): void {
  const { warnings = [] } = answer as {
    readonly warnings?: readonly { readonly pointer: string; readonly message: string }[];
  };
  for (const { pointer, message } of warnings) err(`Warning: ${pointer} ${oneLine(message)}.\n`);
}

function print(context: CliContext, described: Described, answer: object, { path }: SentParts): void {
  const { columns, words, project } = described;
  const { lines } = words;
  if (columns === undefined && lines === undefined) return printJson(context, answer);
  const items = listIn(described, answer) ?? [{ ...path, ...answer }];
  const rows = words.oldestFirst === true ? items.toReversed() : items;
  if (columns !== undefined) context.out(tableBy(columns, rows));
  // Lines of events and of users are cut to the terminal.
  const width = project === 'key' ? (context.columns ?? Infinity) : Infinity;
  for (const row of rows) for (const line of lines ?? []) context.out(`${shortened(filled(line, row), width)}\n`);
}

/** The members of a listing: of one that comes in pages, or of an answer that is nothing else. */
function listIn({ pageLimit }: Described, answer: object): readonly unknown[] | undefined {
  const members = Object.values(answer) as readonly unknown[];
  return pageLimit === undefined && members.length > 1 ? undefined : members.find((member) => Array.isArray(member));
}
