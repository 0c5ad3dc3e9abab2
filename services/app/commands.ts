/** What operators have done, by the names of the commands, with the stores that each needs. */
import { LogGuard } from '../ingest/log-guard.ts';
import { type DeadLetterCommandResults, deadLetterCommands } from '../maintenance/dead-letters/dead-letter-commands.ts';
import { importCommands, type ImportRunner } from '../maintenance/import/import-commands.ts';
import { importsFolderOf } from '../maintenance/import/import-request.ts';
import { erasureCommand } from '../maintenance/erasure/erase-project.ts';
import { Editor, type EditResult } from '../maintenance/dead-letters/edit.ts';
import { type ReplayCommandResults, replayCommands } from '../maintenance/replay/replay-commands.ts';
import { type VerifyCommandResults, verifyCommands } from '../maintenance/verify/verify-commands.ts';
import { type Command, commandInvalid } from '../runtime/command.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { contentCommand, deletionCommand } from '../stores/projects/delete-project.ts';
import { type ProjectCommandResults, projectCommands } from '../stores/projects/project-commands.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { OpenedStores } from './open-stores.ts';
import { Readers } from './readers/readers.ts';
import { isServer } from './embedded.ts';

/** The result of each command that the command line has carried out, as JSON. */
export interface CommandResults
  extends ProjectCommandResults, DeadLetterCommandResults, ReplayCommandResults, VerifyCommandResults {
  readonly 'dead-letters edit': EditResult;
}

export type CommandName = keyof CommandResults;

export type StoreName = keyof OpenedStores;

type Commands = Readonly<Record<string, Command>>;

/** What a group of commands is created with, the stores that it needs included. */
type CommandParts<Needed extends StoreName> = Pick<OpenedStores, Needed> & {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders?: boolean;
  readonly importer?: ImportRunner;
};

/** Commands that start with the same word. */
export interface CommandGroup {
  readonly needs: readonly StoreName[];
  /** @param parts With at least the stores that the group needs. */
  readonly commands: (parts: Partial<OpenedStores> & CommandParts<never>) => Commands;
}

const projects = group(['database'], ({ database, config }) => {
  const store = new SqlProjectStore(database);
  return {
    ...projectCommands(store, config.initialTimezone),
    'project delete': deletionCommand(database),
    'project content': contentCommand(database),
  };
});

const deadLetters = group(['log', 'codec', 'database'], (parts) => ({ ...deadLetterCommands(parts) }));

// Alone: the others need no analytics.
const edits = group(['log', 'codec', 'database', 'analytics'], (parts) => {
  const editor = new Editor(parts);
  return { 'dead-letters edit': (args, call) => editor.edit(args, call) };
});

const replay = group(['log', 'codec', 'database', 'analytics'], (parts) => {
  return { ...replayCommands({ ...parts, whileFed: (run) => whileFed(parts, run) }) };
});

const erasure = group(['log', 'codec', 'database', 'analytics'], (parts) => ({
  'project erase': erasureCommand(parts),
}));

const verification = group(['log', 'codec', 'database', 'analytics'], ({ config: { repeatWindowMs }, ...stores }) => {
  return { ...verifyCommands({ ...stores, projects: new SqlProjectStore(stores.database), repeatWindowMs }) };
});

const imports = group(['database', 'log'], ({ database, log, logger, config: { dataDir, importDir }, importer }) => {
  if (importer === undefined) return {};
  const guard = new LogGuard({ log, progress: new LiveGenerations(database), logger });
  const folders = { folder: importsFolderOf(dataDir), importDir };
  const projectStore = new SqlProjectStore(database);
  return { ...importCommands({ ...folders, projects: projectStore, importer, checkLog: () => guard.check() }) };
});

/** By the first words of their commands; the first that fits. */
const GROUPS: Readonly<Record<string, CommandGroup>> = {
  'project erase': erasure,
  project: projects,
  key: projects,
  'dead-letters edit': edits,
  'dead-letters': deadLetters,
  replay,
  verify: verification,
  import: imports,
};

/** What the commands of a process work with beside the stores. */
export interface CommandSurroundings {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders: boolean;
  /** Absent where no service runs: then the command line imports by itself. */
  readonly importer?: ImportRunner;
}

/**
 * Finds the command of a name. Its stores are asked for when it is carried out, and only those that it needs.
 *
 * @param open The stores of these names, opened.
 */
export function commandsOn(
  surroundings: CommandSurroundings,
  open: (needs: readonly StoreName[]) => Promise<Partial<OpenedStores>>,
): (name: string) => Command | undefined {
  return (name) => {
    const found = groupOf(name);
    if (found === undefined) return undefined;
    return async (args, call) => {
      const command = found.commands({ ...(await open(found.needs)), ...surroundings })[name];
      if (command === undefined) throw commandInvalid(`There is no command ${JSON.stringify(name)}.`);
      call.signal.throwIfAborted();
      return command(args, call);
    };
  };
}

/** Undefined where there is no such command. */
export function groupOf(command: string): CommandGroup | undefined {
  return Object.entries(GROUPS).find(([word]) => command.startsWith(`${word} `) || command === word)?.[1];
}

function group<Needed extends StoreName>(
  needs: readonly Needed[],
  commands: (parts: CommandParts<Needed>) => Commands,
): CommandGroup {
  return { needs, commands: (parts) => commands(parts as CommandParts<Needed>) };
}

/** Where no service has the embedded stores open, the command fills them itself, with readers of its own. */
async function whileFed<T>(parts: CommandParts<StoreName>, run: () => Promise<T>): Promise<T> {
  const { config, hasReaders = false, analytics } = parts;
  if (hasReaders || (isServer(config.profilesUrl) && isServer(config.analyticsUrl))) return run();
  const readers = Readers.both(parts, analytics);
  readers.start();
  try {
    return await Promise.race([run(), readers.failed]);
  } finally {
    await readers.stop();
  }
}
