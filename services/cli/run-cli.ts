import { Command, CommanderError } from 'commander';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { addAudienceChange } from './audience-change.ts';
import { addAudienceChanges } from './audience-changes.ts';
import { addAudienceDelete } from './audience-delete.ts';
import { addAudienceEvaluate } from './audience-evaluate.ts';
import { addAudienceList } from './audience-list.ts';
import { addAudienceMembers } from './audience-members.ts';
import { addAudiencePreview } from './audience-preview.ts';
import { addAudienceSave } from './audience-save.ts';
import { addAudienceShow } from './audience-show.ts';
import { type CliContext, ExitCode, Interrupted } from './context.ts';
import { addDeadLetters } from './dead-letters.ts';
import { addAudienceExplain } from './audience-explain.ts';
import { addAudienceWhy } from './audience-why.ts';
import { addImport } from './import.ts';
import { addKeyCreate } from './key-create.ts';
import { addKeyList } from './key-list.ts';
import { addKeyRevoke } from './key-revoke.ts';
import { addProjectCreate } from './project-create.ts';
import { addProjectList } from './project-list.ts';
import { addProjectSet } from './project-set.ts';
import { addReplayBuild } from './replay-build.ts';
import { addReplayDrop } from './replay-drop.ts';
import { addReplayRollback } from './replay-rollback.ts';
import { addReplayStatus } from './replay-status.ts';
import { addVerify } from './verify.ts';

const DONE = 0;
const FAILED = 1;
const USED_WRONGLY = 2;

/**
 * Runs the `tidemark` command. Resolves with the exit code: 0; 1 where it failed; 2 where it was used wrongly; that of
 * `ExitCode` where the command says one; that of `Interrupted` where the context's signal ended it.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    await tidemark(context).parseAsync(argv, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has said it already; asking for help is one of its "errors".
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USED_WRONGLY;
    const reason: unknown = context.signal?.reason;
    if (reason instanceof Interrupted) {
      context.err('interrupted\n');
      return reason.exitCode;
    }
    if (error instanceof ExitCode) return error.exitCode;
    context.err(`error: ${messageOf(error)}\n`);
    return hasCode(error, 'COMMAND_INVALID') ? USED_WRONGLY : FAILED;
  }
}

function tidemark(context: CliContext): Command {
  const root = new Command('tidemark')
    .description(
      'Manages a Tidemark installation. Settings come from the environment, as for the service (DATA_DIR, …).',
    )
    .exitOverride()
    .configureOutput({ writeOut: context.out, writeErr: context.err });

  const project = root.command('project').description('Projects and their settings');
  addProjectCreate(project, context);
  addProjectList(project, context);
  addProjectSet(project, context);

  const key = root.command('key').description('API keys');
  addKeyCreate(key, context);
  addKeyList(key, context);
  addKeyRevoke(key, context);

  const audience = root.command('audience').description('Questions about users, and those saved under a name');
  addAudiencePreview(audience, context);
  addAudienceSave(audience, context);
  addAudienceList(audience, context);
  addAudienceShow(audience, context);
  addAudienceChange(audience, context);
  addAudienceDelete(audience, context);
  addAudienceMembers(audience, context);
  addAudienceChanges(audience, context);
  addAudienceEvaluate(audience, context);
  addAudienceExplain(audience, context);
  addAudienceWhy(audience, context);

  addDeadLetters(root, context);
  addImport(root, context);
  const replay = root.command('replay').description('Read the log again, beside what is live');
  addReplayBuild(replay, 'profiles', context);
  addReplayBuild(replay, 'analytics', context);
  addReplayStatus(replay, context);
  addReplayRollback(replay, context);
  addReplayDrop(replay, context);
  addVerify(root, context);

  return root;
}

function messageOf(error: unknown): string {
  if (error instanceof TidemarkError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
