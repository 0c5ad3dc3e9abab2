import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addDocumentCommands } from '../document/commands.ts';
import { AUDIENCE_LINES } from './audience-lines.ts';
import { AUDIENCE_QUESTIONS } from './audience-questions.ts';
import { CONFIRMED } from './confirmed.ts';
import { DEAD_LETTERS } from './dead-letters.ts';
import { DEFINITIONS } from './definitions.ts';
import { ENDPOINT } from './endpoint.ts';
import { EVENT_QUESTIONS } from './events.ts';
import { KEY } from './key.ts';
import { USER_EXPORT } from './user-export.ts';
import { VERIFY } from './verify.ts';

/** Commands that only have others below them. */
const COMMAND_GROUPS = {
  project: 'Projects and their settings',
  key: 'API keys',
  audience: 'Questions about users, and those saved under a name',
  endpoint: 'Webhooks: where changes of audiences are posted, or written to a topic',
  pin: 'What is pinned to Today in the console',
  note: 'What happened on the days of the charts',
  watch: 'Numbers that call',
  'dead-letters': 'messages that readers could not process',
  events: 'Questions about the events of a project',
  replay: 'Read the log again, beside what is live',
  user: 'Who the users are, and what is known of one',
  forget: 'Forgets people, erases events, and shows what was',
  join: 'Whose anonymous ids are',
};

/** What the OpenAPI document does not say of its commands. */
const BY_HAND = {
  ...AUDIENCE_LINES,
  ...AUDIENCE_QUESTIONS,
  ...CONFIRMED,
  ...DEAD_LETTERS,
  ...DEFINITIONS,
  ...ENDPOINT,
  ...EVENT_QUESTIONS,
  ...KEY,
  ...USER_EXPORT,
  ...VERIFY,
};

/** Adds the commands of the OpenAPI document. Returns those that have others below them. */
export function addDocumented(
  root: Command,
  context: CliContext,
): Readonly<Record<keyof typeof COMMAND_GROUPS, Command>> {
  const groups = Object.fromEntries(
    Object.entries(COMMAND_GROUPS).map(([name, description]) => [name, root.command(name).description(description)]),
  ) as Record<keyof typeof COMMAND_GROUPS, Command>;
  addDocumentCommands((name) => groups[name as keyof typeof COMMAND_GROUPS] ?? root, context, BY_HAND);
  return groups;
}
