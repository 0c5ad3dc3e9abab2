/** `tidemark events`: questions about the events of a project. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Answer, type Body, operation } from '../../schemas/operations.ts';
import { commandInvalid } from '../runtime/command.ts';
import { definitionText } from './audience/audience-request.ts';
import { askFor, keepDigits } from './client/ask.ts';
import { onePage } from './client/pages.ts';
import { projectClientOf } from './client/project-client.ts';
import { addServiceOptions, type ServiceOptions } from './client/service-options.ts';
import type { CliContext } from './context.ts';
import { positiveInteger } from './options.ts';
import { JSON_OPTION, localTime, oneLine, type OutputOptions, printJson, shortened, table } from './print.ts';

export function addEvents(root: Command, context: CliContext): void {
  const events = root.command('events').description('Questions about the events of a project');
  addEventCounts(events, context);
  addEventQuery(events, context);
}

/** What both questions have. */
interface SelectionOptions extends OutputOptions, ServiceOptions {
  readonly event?: string;
  readonly last?: string;
}

type CountsAnswer = Answer<'POST /v1/events/counts'>;
type Question = Body<'POST /v1/events/counts'>;

interface CountsOptions extends SelectionOptions {
  readonly measure?: Question['measure'];
  readonly of?: string;
  readonly p?: number;
  readonly interval?: NonNullable<Question['interval']>;
  readonly byProperty?: string;
  readonly byTrait?: string;
  readonly compare?: true;
}

function addEventCounts(parent: Command, context: CliContext): void {
  const command = parent
    .command('counts')
    .description('count events or users, or sum, average or rank a property, over time')
    .argument('[question]', 'the question: a file, - for standard input, or JSON; the options change it')
    .addOption(
      new Option('--measure <measure>', 'what is measured (default: count)').choices([
        'count',
        'users',
        'sum',
        'average',
        'percentile',
      ]),
    )
    .option('--of <property>', 'the property that is summed, averaged or ranked')
    .option('--p <percentile>', 'which percentile, from 0 to 100: 50 is the median', readPercentile)
    .addOption(new Option('--interval <interval>', 'a value for each').choices(['hour', 'day', 'week']))
    .addOption(new Option('--by-property <property>', 'a series for each of its values').conflicts('byTrait'))
    .option('--by-trait <trait>', 'a series for each of its values')
    .option('--compare', 'the same of the period before, too');
  addSelection(command).action(async (given: string | undefined, options: CountsOptions) => {
    const body = questionText(
      { measure: 'count', ...(await questionIn(given)) },
      {
        ...selectionOf(options),
        measure: options.measure,
        of: options.of,
        p: options.p,
        interval: options.interval,
        split: splitOf(options),
        compare: options.compare && 'previous',
      },
    );
    const { client, project } = await projectClientOf(context, options);
    const request = operation('POST /v1/events/counts', { query: { project }, body });
    const counts = await askFor(client, request, { signal: context.signal });
    if (options.json) printJson(context, counts);
    else context.out(countsText(counts));
  });
}

function readPercentile(text: string): number {
  const p = Number(text);
  if (/^\d{1,3}(?:\.\d{1,9})?$/.test(text) && p <= 100) return p;
  throw new InvalidArgumentError('It is a number from 0 to 100.');
}

function addSelection(command: Command): Command {
  return addServiceOptions(
    command
      .option('--event <name>', 'events of this name alone')
      .option('--last <time>', 'events of this time up to now: 24h, 30d, 4w')
      .option(...JSON_OPTION),
  );
}

function selectionOf({ event, last }: SelectionOptions): object {
  return { event, within: last === undefined ? undefined : { last } };
}

function splitOf({ byProperty: property, byTrait: trait }: CountsOptions): object | undefined {
  if (property !== undefined) return { property };
  return trait === undefined ? undefined : { trait };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Every digit is kept. @throws TidemarkError `COMMAND_INVALID` */
async function questionIn(given: string | undefined): Promise<JsonObject> {
  if (given === undefined) return {};
  let question: unknown;
  try {
    question = JSON.parse(await definitionText(given), keepDigits);
  } catch (error) {
    if (error instanceof SyntaxError) throw commandInvalid(`The question is not JSON: ${error.message}`);
    throw error;
  }
  if (typeof question === 'object' && question !== null && !Array.isArray(question)) return question as JsonObject;
  throw commandInvalid('The question is not an object.');
}

/** The question with what the options say in its place. */
function questionText(question: JsonObject, changes: JsonObject): string {
  const chosen = Object.entries(changes).filter(([, value]) => value !== undefined);
  return JSON.stringify({ ...question, ...Object.fromEntries(chosen) });
}

/** A line for each bucket, a column for each series. */
function countsText({ buckets, series, previous, interval }: CountsAnswer): string {
  if (series.length === 0) return 'Nothing was counted.\n';
  const names = series.map((one) =>
    one.other ? 'other' : one.value === null && series.length === 1 ? 'ALL' : seriesName(one),
  );
  const rowsOf = (of: CountsAnswer['buckets'], values: (at: number) => readonly unknown[]): string[][] =>
    of.map(({ local, start }, at) => [localTimeOf(local ?? start), ...values(at).map((value) => numberText(value))]);
  const head = [interval === null ? 'FROM' : interval.toUpperCase(), ...names];
  const now = table(
    head,
    rowsOf(buckets, (at) => series.map(({ values }) => values[at])),
  );
  if (previous === null) return now;
  const before = rowsOf(previous.buckets, (at) => series.map((one) => one.previous?.[at]));
  return `${now}The period before:\n${table(head, before)}`;
}

function seriesName({ value }: CountsAnswer['series'][number]): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value);
}

/** The time zone is that of the question. */
function localTimeOf(local: string | null): string {
  return local === null ? '-' : local.slice(0, 16).replace('T', ' ');
}

function numberText(value: unknown): string {
  return value === null || value === undefined ? '-' : JSON.stringify(value);
}

interface QueryOptions extends SelectionOptions {
  readonly limit: number;
}

type ProjectEvent = Answer<'POST /v1/events/query'>['events'][number];

function addEventQuery(parent: Command, context: CliContext): void {
  const command = parent
    .command('query')
    .description('print the events of all users, newest first')
    .argument('[question]', 'the question: a file, - for standard input, or JSON; the options change it')
    .option('--limit <count>', 'the most that are listed', positiveInteger(9, 'It is a whole number from 1 up.'), 20);
  addSelection(command).action(async (given: string | undefined, options: QueryOptions) => {
    const question = await questionIn(given);
    const page = await queryEvents(context, question, options);
    if (options.json) printJson(context, page);
    else for (const event of page.events) context.out(`${eventText(event, context.columns)}\n`);
    if (page.next_cursor !== null) context.err('There are more: raise --limit.\n');
  });
}

const PAGE_EVENTS = 1_000;

async function queryEvents(context: CliContext, question: JsonObject, { limit: wanted, ...options }: QueryOptions) {
  const { client, project } = await projectClientOf(context, options);
  return onePage({ limit: wanted, pageLimit: PAGE_EVENTS }, (limit, cursor) => {
    const body = questionText(question, { ...selectionOf(options), limit, cursor });
    const request = operation('POST /v1/events/query', { query: { project }, body });
    return askFor(client, request, { signal: context.signal });
  });
}

function eventText({ event, timestamp, properties, ...user }: ProjectEvent, columns: number | undefined): string {
  const who = user.user_id ?? user.anonymous_id ?? user.internal_id;
  const cells = [localTime(timestamp), oneLine(event), oneLine(who), oneLine(JSON.stringify(properties))];
  return columns === undefined ? cells.join('  ') : shortened(cells.join('  '), columns);
}
