import type { Command } from 'commander';
import { type Answer, operation } from '../../../schemas/operations.ts';
import { keepDigits, type ServiceRequest } from '../client/ask.ts';
import type { CliContext } from '../context.ts';
import { positiveInteger } from '../options.ts';
import { JSON_OPTION, localTime, oneLine, type OutputOptions, printJson, shortened } from '../print.ts';
import { onePage } from '../client/pages.ts';
import { projectClientOf } from '../client/project-client.ts';
import { addServiceOptions, type ServiceOptions } from '../client/service-options.ts';
import { addUserExport } from './user-export.ts';

export function addUser(root: Command, context: CliContext): void {
  const user = root.command('user').description('Who the users are, and what is known of one');
  addUserFind(user, context);
  addUserShow(user, context);
  addUserEvents(user, context);
  addUserExport(user, context);
}

const PAGE_USERS = 1_000;

interface UserFindOptions extends OutputOptions, ServiceOptions {
  readonly limit: number;
}

function addUserFind(parent: Command, context: CliContext): void {
  const command = parent
    .command('find')
    .description('print the users who have a text in their id or in a trait of the search')
    .argument('<text>', 'any part of it; the case of letters does not count')
    .option('--limit <count>', 'the most that are listed', positiveInteger(9, 'It is a whole number from 1 up.'), 20)
    .option(...JSON_OPTION);
  addServiceOptions(command).action(async (text: string, { limit: wanted, json, ...service }: UserFindOptions) => {
    const page = await onePage('users', { limit: wanted, pageLimit: PAGE_USERS }, (limit, cursor) =>
      readAnswer(context, service, (project) =>
        operation('GET /v1/users', { query: { search: text, cursor, limit, project } }),
      ),
    );
    if (json) printJson(context, page);
    else for (const user of page.users) context.out(`${userText(user, context.columns)}\n`);
    if (page.next_cursor !== null) context.err('There are more: raise --limit.\n');
  });
}

type FoundUser = Answer<'GET /v1/users'>['users'][number];

function userText({ user_id: id, internal_id: key, traits }: FoundUser, columns: number | undefined): string {
  const line = `${oneLine(id ?? `internal id ${key}`)}  ${oneLine(JSON.stringify(traits))}`;
  return columns === undefined ? line : shortened(line, columns);
}

const USER_ARGUMENT = ['<user>', "the user's id"] as const;

function addUserShow(parent: Command, context: CliContext): void {
  const command = parent
    .command('show')
    .description("print a user's profile, as JSON")
    .argument(...USER_ARGUMENT)
    .option('--json', 'print JSON, as without it');
  addServiceOptions(command).action(async (user: string, options: ServiceOptions) => {
    const path = { user_id: user };
    const profile = await readAnswer(context, options, (project) =>
      operation('GET /v1/users/{user_id}', { path, query: { project } }),
    );
    printJson(context, profile);
  });
}

interface UserEventsOptions extends OutputOptions, ServiceOptions {
  readonly event?: string;
  readonly limit: number;
}

type UserEvent = Answer<'GET /v1/users/{user_id}/events'>['events'][number];

function addUserEvents(parent: Command, context: CliContext): void {
  const command = parent
    .command('events')
    .description("print a user's events, newest first")
    .argument(...USER_ARGUMENT)
    .option('--event <name>', 'events of this name alone')
    .option('--limit <count>', 'the most that are listed', positiveInteger(9, 'It is a whole number from 1 up.'), 20)
    .option(...JSON_OPTION);
  addServiceOptions(command).action(async (user: string, options: UserEventsOptions) => {
    const page = await readEvents(context, user, options);
    if (options.json) printJson(context, page);
    else for (const event of page.events) context.out(`${eventText(event, context.columns)}\n`);
    if (page.next_cursor !== null) context.err('There are more: raise --limit.\n');
  });
}

const PAGE_EVENTS = 100;

function readEvents(context: CliContext, user: string, { event, limit: wanted, ...service }: UserEventsOptions) {
  return onePage('events', { limit: wanted, pageLimit: PAGE_EVENTS }, (limit, cursor) =>
    readAnswer(context, service, (project) =>
      operation('GET /v1/users/{user_id}/events', {
        path: { user_id: user },
        query: { event, cursor, limit, project },
      }),
    ),
  );
}

function eventText({ event, timestamp, properties }: UserEvent, columns: number | undefined): string {
  const line = `${localTime(timestamp)}  ${oneLine(event)}  ${oneLine(JSON.stringify(properties))}`;
  return columns === undefined ? line : shortened(line, columns);
}

/** Every digit of a number is kept. */
async function readAnswer<T>(
  context: CliContext,
  options: ServiceOptions,
  requestOf: (project: string | undefined) => ServiceRequest<T>,
): Promise<T> {
  const { client, project } = await projectClientOf(context, options);
  const response = await client.expectOk(await client.get(requestOf(project).path));
  return JSON.parse(await response.text(), keepDigits) as T;
}
