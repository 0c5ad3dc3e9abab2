/** `GET /v1/messages/:message_id`: the messages with an id, each with its receipt. */
import { budgetOf, type QueryBudget } from '../../questions/query-budget.ts';
import { findMessages, type FoundMessage } from '../../questions/users/find-messages.ts';
import { type KnownUser, usersNumbered } from '../../questions/users/user-list.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { encodeReceipt } from '../../messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { readTraitChoice } from '../../stores/profiles/trait-choice.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { type VersionTraitsRow, versionTraitsQuery } from '../../questions/users/user-history.ts';
import type { Input } from '../input.ts';
import { contextOf, refuseParameter } from '../query.ts';
import { traitsObject } from './history-lines.ts';
import type { UserStores } from './store-parts.ts';
import { traitsOfUsers } from './traits-of-users.ts';

/** Properties or traits of more characters are left out: the user's events and export have them. */
const MAX_CONTENT_CHARS = 8_000;

export async function answerMessages(
  stores: UserStores,
  { project }: Call,
  { path: { message_id: id }, query }: Input<'GET /v1/messages/{message_id}'>,
): Promise<Answer | Refusal> {
  const wanted = readTraitChoice(query.traits);
  if (!wanted.ok) return refuseParameter('traits', wanted.message).refusal;
  const budget = budgetOf(stores, project);
  const found = await findMessages(budget, project.id, id);
  if (found.length === 0) return NO_MESSAGE;
  const numbers = [...new Set(found.map(({ user_number: number }) => number))];
  // A message is shown as it was sent: under the anonymous id, whosever that is.
  const users = await usersNumbered(budget, { ...contextOf(project), joins: false }, numbers);
  const traitsOf = await traitsOfUsers(stores, project.id, [...users.values()], wanted.value);
  const bodies: string[] = [];
  for (const message of found) {
    const user = users.get(message.user_number);
    if (user === undefined) continue;
    const content = await contentTextOf(budget, project, message, user);
    bodies.push(bodyOfMessage({ id, found: message, user, content, project }, traitsOf(user)));
  }
  return bodies.length === 0 ? NO_MESSAGE : { status: 200, body: `{"messages":[${bodies.join(',')}]}` };
}

const NO_MESSAGE: Refusal = { refused: 'not-found', detail: 'Analytics has no message of this project with this id.' };

interface KnownMessage {
  readonly id: string;
  readonly found: FoundMessage;
  readonly user: KnownUser;
  /** The JSON of the properties or traits; undefined where it is too long. */
  readonly content: string | undefined;
  readonly project: Project;
}

async function contentTextOf(
  budget: QueryBudget,
  project: Project,
  { type, version, properties_text: properties }: FoundMessage,
  { userKey }: KnownUser,
): Promise<string | undefined> {
  if (type === 'track') return properties.length > MAX_CONTENT_CHARS ? undefined : properties;
  const query = versionTraitsQuery({ projectId: project.id, userKey }, [version], MAX_CONTENT_CHARS);
  const [row] = await budget.ask<VersionTraitsRow>(query);
  if (row === undefined) return '{}';
  return Number(row.chars) > MAX_CONTENT_CHARS ? undefined : traitsObject(row.traits);
}

/** As a row of the live stream. What it holds is JSON text already and goes in untouched, every digit kept. */
function bodyOfMessage({ id, found: message, user, content, project }: KnownMessage, userTraits: string): string {
  const receivedAt = BigInt(message.received);
  const { topic, log_partition: partition, log_offset: offset } = message;
  const acceptedAtMs = Number(receivedAt / 1000n);
  const position = { topic, partition, offset: BigInt(offset) };
  const head = JSON.stringify({
    type: message.type,
    ...(message.type === 'track' && { event: message.event }),
    user_id: user.userId,
    anonymous_id: message.anonymous_id === '' ? user.anonymousId : message.anonymous_id,
    internal_id: user.userKey,
    message_id: id,
    timestamp: formatMicros(BigInt(message.occurred)),
    received_at: formatMicros(receivedAt),
    log: { topic, partition, offset },
    receipt: encodeReceipt(receiptSignerOf(project), acceptedAtMs, [position]),
    ...(content === undefined && { cut: true }),
  });
  return `${head.slice(0, -1)}${userTraits},"${message.type === 'track' ? 'properties' : 'traits'}":${content ?? '{}'}}`;
}
