/** The commands of the command line, with the stores that each needs. */
import { type QuestionCommandResults, questionCommands } from '../audience/question-commands.ts';
import { SqlAudienceStore } from '../audience/saved/sql-audience-store.ts';
import { type DeadLetterCommandResults, deadLetterCommands } from '../maintenance/dead-letters/dead-letter-commands.ts';
import { type ReplayCommandResults, replayCommands } from '../maintenance/replay/replay-commands.ts';
import { type VerifyCommandResults, verifyCommands } from '../maintenance/verify/verify-commands.ts';
import { type AudienceCommandResults, audienceCommands } from '../query-api/audiences/commands.ts';
import type { Command } from '../runtime/command.ts';
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { liveStores } from '../stores/generations/live-stores.ts';
import { type ProjectCommandResults, projectCommands } from '../stores/projects/project-commands.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { OpenedStores } from './open-stores.ts';
import { Readers } from './readers/readers.ts';
import { isServer } from './embedded.ts';
import { audienceQueriesOf, audienceSchedulerOf } from './stores.ts';

/** The result of each command, as JSON. */
export interface CommandResults
  extends
    ProjectCommandResults,
    DeadLetterCommandResults,
    ReplayCommandResults,
    QuestionCommandResults,
    AudienceCommandResults,
    VerifyCommandResults {}

export type CommandName = keyof CommandResults;

export type StoreName = keyof OpenedStores;

type Commands = Readonly<Record<string, Command>>;

/** What a group of commands is created with, the stores that it needs included. */
type CommandParts<Needed extends StoreName> = Pick<OpenedStores, Needed> & {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders?: boolean;
};

/** Commands that start with the same word. */
export interface CommandGroup {
  readonly needs: readonly StoreName[];
  /** @param parts With at least the stores that the group needs. */
  readonly commands: (parts: Partial<OpenedStores> & CommandParts<never>) => Commands;
}

const projects = group(['database'], ({ database, config }) => {
  return { ...projectCommands(new SqlProjectStore(database), config.initialTimezone) };
});

const deadLetters = group(['log', 'codec', 'database'], (parts) => ({ ...deadLetterCommands(parts) }));

const replay = group(['log', 'codec', 'database', 'analytics'], (parts) => {
  return { ...replayCommands({ ...parts, whileFed: (run) => whileFed(parts, run) }) };
});

const audiences = group(['database', 'analytics'], ({ database, analytics, config, logger }) => {
  const live = liveStores(database, analytics).analytics;
  const queries = audienceQueriesOf(config, live);
  const projects = new SqlProjectStore(database);
  const commands = audienceCommands({
    projects,
    saved: new SqlAudienceStore(database, config.maxProjectAudiences),
    evaluator: audienceSchedulerOf(config, logger, { database, analytics }),
    analytics: live,
    ...queries,
  });
  return { ...questionCommands({ projects, audiencesOf: queries.audiencesOf }), ...commands };
});

const verification = group(['log', 'codec', 'database', 'analytics'], ({ config: { repeatWindowMs }, ...stores }) => {
  return { ...verifyCommands({ ...stores, projects: new SqlProjectStore(stores.database), repeatWindowMs }) };
});

/** By the first word of their commands. */
const GROUPS: Readonly<Record<string, CommandGroup>> = {
  project: projects,
  key: projects,
  'dead-letters': deadLetters,
  replay,
  audience: audiences,
  verify: verification,
};

/** @throws TidemarkError `COMMAND_INVALID` where there is no such command. */
export function groupOf(command: string): CommandGroup {
  const found = Object.entries(GROUPS).find(([word]) => command.startsWith(`${word} `) || command === word);
  if (found !== undefined) return found[1];
  throw new TidemarkError('COMMAND_INVALID', `There is no command ${JSON.stringify(command)}.`);
}

/** All commands, for a service that has every store open. */
export function allCommands(parts: CommandParts<StoreName>): Commands {
  return Object.assign(
    {},
    ...[...new Set(Object.values(GROUPS))].map(({ commands }) => commands({ ...parts, hasReaders: true })),
  ) as Commands;
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
