import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { printJson, table } from './print.ts';

interface Page {
  readonly audiences: readonly Shown[];
  readonly next_cursor: string | null;
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly refresh: string | null;
  readonly evaluation: { readonly at: string; readonly members: number } | null;
  readonly failure: string | null;
}

export function addAudienceList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list saved audiences, newest first')
    .argument('<project>', 'the id of the project')
    .option('--json', 'print JSON for programs')
    .action(async (project: string, { json }: { json?: true }) => {
      const all: Shown[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const answer = await carryOut(context, 'audience list', { project, limit: 100, cursor });
        const page = JSON.parse(answer.json) as Page;
        all.push(...page.audiences);
        cursor = page.next_cursor;
      }
      if (json) printJson(context, all);
      else context.out(table(['ID', 'NAME', 'REFRESH', 'MEMBERS', 'EVALUATED', 'FAILURE'], all.map(rowOf)));
    });
}

function rowOf({ id, name, refresh, evaluation, failure }: Shown): string[] {
  return [id, name, refresh ?? '-', String(evaluation?.members ?? '-'), evaluation?.at ?? '-', failure ?? '-'];
}
