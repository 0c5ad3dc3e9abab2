import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';

export function addReplayStatus(parent: Command, context: CliContext): void {
  parent
    .command('status')
    .description('list generations: which is live, and how far each is behind')
    .option(...JSON_OPTION)
    .action(async ({ json }: OutputOptions) => {
      const all = await carryOut(context, 'replay status', {});
      if (json) {
        printJson(context, all);
        return;
      }
      const rows = all.map(({ kind, number, state, project, answers, messages, behind, rate_limit, created_at }) => [
        kind,
        String(number),
        state,
        project ?? 'all',
        answers.join(' ') || '-',
        String(messages),
        String(behind),
        rate_limit === null ? 'none' : `${rate_limit}/s`,
        created_at,
      ]);
      context.out(
        table(['KIND', 'NUMBER', 'STATE', 'HOLDS', 'ANSWERS', 'MESSAGES', 'BEHIND', 'RATE LIMIT', 'CREATED'], rows),
      );
    });
}
