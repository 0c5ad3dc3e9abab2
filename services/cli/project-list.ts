import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, printProjects } from './print.ts';

export function addProjectList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list all projects, oldest first')
    .option(...JSON_OPTION)
    .action(async ({ json }: OutputOptions) => {
      const projects = await carryOut(context, 'project list', {});
      if (json) printJson(context, projects);
      else printProjects(context, projects);
    });
}
