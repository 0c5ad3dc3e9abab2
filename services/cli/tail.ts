import { type Command, Option } from 'commander';
import { pathTo, type Query } from '../../schemas/operations.ts';
import { projectClientOf } from './client/project-client.ts';
import { addServiceOptions } from './client/service-options.ts';
import type { CliContext } from './context.ts';
import { type LiveRow, liveTicks } from './live-stream.ts';
import { localTime, oneLine, shortened, width } from './print.ts';

interface TailOptions {
  readonly user?: string;
  readonly event?: string;
  readonly type?: NonNullable<Query<'GET /v1/events/live'>['type']>;
  readonly text?: string;
  readonly json?: true;
}

export function addTail(root: Command, context: CliContext): void {
  const command = root
    .command('tail')
    .description('show what is recorded from now on, until Ctrl-C')
    .option('--user <id>', 'of this user alone, by its user id or anonymous id')
    .option('--event <name>', 'events of this name alone')
    .addOption(new Option('--type <type>', 'messages of this type alone').choices(['identify', 'track', 'session']))
    .option('--text <text>', 'messages with a value in their properties or traits that contains this text')
    .option('--json', 'print a line of JSON for each message');
  addServiceOptions(command).action((options: TailOptions) => tail(context, options));
}

/** Resolves when the context's signal is aborted: that is how it is meant to end. */
async function tail(context: CliContext, { json, ...options }: TailOptions): Promise<void> {
  const { client, project } = await projectClientOf(context);
  const signal = context.signal ?? new AbortController().signal;
  const ticks = liveTicks(client, livePathOf(options, project), signal, {
    onLost: () => context.err(`The connection to the service ${client.place} broke: connecting again …\n`),
    onBack: () => context.err('Connected again; what was recorded meanwhile follows.\n'),
  });
  try {
    let isFirst = true;
    for await (const { rows, seen, shown, skipped } of ticks) {
      if (isFirst) context.err(`Waiting for messages ${client.place}; Ctrl-C ends it.\n`);
      isFirst = false;
      const line = json ? JSON.stringify : (row: LiveRow) => rowText(row, context.columns);
      // Rows are the newest: what was left out came before them.
      const left = leftOut(seen - shown, skipped);
      if (left !== '') context.err(left);
      if (rows.length > 0) context.out(rows.map((row) => `${line(row)}\n`).join(''));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function livePathOf({ user, event, type, text }: TailOptions, project: string | undefined): string {
  return pathTo('GET /v1/events/live', { query: { user_id: user, event, type, text, project } });
}

function leftOut(hidden: number, skipped: number): string {
  const parts = [
    ...(hidden > 0 ? [`${hidden} more ${hidden === 1 ? 'message' : 'messages'} not shown`] : []),
    ...(skipped > 0 ? [`${skipped} records of the log not looked at`] : []),
  ];
  return parts.length === 0 ? '' : `… ${parts.join(', ')}: they came too fast\n`;
}

const TIME_AT = '2026-11-24 '.length;
const NAME_COLUMNS = 24;
const WIDTH_OF_USER = 20;

/** When it arrived, what, who, and its properties or traits: one line, cut to the terminal's width where there is one. */
export function rowText(row: LiveRow, columns: number | undefined): string {
  const { type, event, user_id: userId, anonymous_id: anonymousId, received_at: receivedAt } = row;
  const content = row.cut ? '{…}' : JSON.stringify(row.properties ?? row.traits ?? {});
  const line = [
    localTime(receivedAt).slice(TIME_AT),
    type.padEnd('identify'.length),
    column(event ?? '', NAME_COLUMNS),
    column(userId ?? (anonymousId === null ? row.internal_id : `anonymous ${anonymousId}`), WIDTH_OF_USER),
    oneLine(content),
  ].join('  ');
  return columns === undefined ? line : shortened(line, columns);
}

function column(text: string, columns: number): string {
  const cell = shortened(oneLine(text), columns);
  return cell + ' '.repeat(columns - width(cell));
}
