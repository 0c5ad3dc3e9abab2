/** `tidemark log` */
import type { Command } from 'commander';
import { readConfig } from '../runtime/config.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';
import { withProgress } from './progress.ts';

interface RenewOptions extends OutputOptions {
  readonly toPrefix: string;
  readonly finish?: true;
}

export function addLog(parent: Command, context: CliContext): void {
  const log = parent.command('log').description('work on the event log itself');
  log
    .command('renew')
    .description(
      'copy the topics of Kafka under another prefix, at the same offsets, without the messages of people who were forgotten',
    )
    .requiredOption('--to-prefix <prefix>', 'the topic_prefix of the new topics, which are made if absent')
    .option('--finish', 'every process of the service is stopped: copy the rest, and make the topics ready')
    .option(...JSON_OPTION)
    .action((options: RenewOptions) => renew(context, options));
}

async function renew(context: CliContext, { toPrefix: prefix, finish, json }: RenewOptions): Promise<void> {
  // Imported late: no other command needs the code of the stores, where a service runs.
  const { renewLogOf } = await import('../app/backups/renew.ts');
  const config = readConfig(context.env);
  const result = await withProgress(context, 'copying', (report, signal) =>
    renewLogOf(config, { prefix, isLast: finish === true }, { report, signal }),
  );
  if (json) return printJson(context, result);
  const { records, blank, finished, took_ms: tookMs } = result;
  context.out(`${records} records copied, ${blank} of them blank, ${(tookMs / 1_000).toFixed(1)} s\n`);
  context.out(
    finished
      ? `Set topic_prefix=${prefix} in EVENT_LOG_URL, start the service, run tidemark verify, then delete the old topics.\n`
      : 'Stop every process of the service, then run the same command with --finish.\n',
  );
}
