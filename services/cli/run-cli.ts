import { Command, CommanderError } from 'commander';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { programVersion } from '../runtime/version.ts';
import { addBackup, addMigrate, addRestore } from './backup.ts';
import { addDocumented } from './by-hand/documented.ts';
import { addCompletion } from './completion.ts';
import { type CliContext, ExitCode, Interrupted } from './context.ts';
import { addImport } from './import.ts';
import { addLog } from './log.ts';
import { addReplayBuilds } from './replay.ts';
import { addServiceOptionsBelow, namedService } from './client/service-options.ts';
import { addStatus } from './status.ts';
import { addTail } from './tail.ts';

const DONE = 0;
const FAILED = 1;
const USED_WRONGLY = 2;

/**
 * Runs the `tidemark` command. Resolves with the exit code: 0; 1 where it failed; 2 where its arguments are wrong (1 of
 * `apply`); that of `ExitCode` where the command throws one; that of `Interrupted` where the context's signal ended it.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  // There 2 says that something differs.
  const usedWrongly = argv[0] === 'apply' ? FAILED : USED_WRONGLY;
  try {
    await tidemark(context).parseAsync(argv, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has printed it already. A request for help is one of its errors, with the exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : usedWrongly;
    const reason: unknown = context.signal?.reason;
    if (reason instanceof Interrupted) {
      context.err('interrupted\n');
      return reason.exitCode;
    }
    if (error instanceof ExitCode) return error.exitCode;
    context.err(`error: ${errorText(error)}\n`);
    return hasCode(error, 'COMMAND_INVALID') ? usedWrongly : FAILED;
  }
}

/** The command with its subcommands. */
export function tidemark(given: CliContext): Command {
  const context: { -readonly [Name in keyof CliContext]: CliContext[Name] } = { ...given };
  const root = new Command('tidemark')
    .description(
      'Manages a Tidemark installation. Settings come from the environment, as for the service (DATA_DIR, …).',
    )
    .version(programVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: context.out, writeErr: context.err });

  const groups = addDocumented(root, context);
  addImport(root, context);
  addReplayBuilds(groups.replay, context);
  addBackup(root, context);
  addRestore(root, context);
  addMigrate(root, context);
  addLog(root, context);
  addTail(root, context);
  addStatus(root, context);
  addCompletion(root, context);
  addServiceOptionsBelow(root);
  root.hook('preAction', (_, command) => {
    context.service = namedService(context, command.opts());
  });
  return root;
}

function errorText(error: unknown): string {
  if (error instanceof TidemarkError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
