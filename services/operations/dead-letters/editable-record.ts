/** A message of a dead letter as operators read and correct it: JSON in the words of the interface. Pure. */
import { isObject } from '../../messages/sdk/sdk-call.ts';
import { type JsonBody, parseBody, toJsonText } from '../../messages/json.ts';
import type { JsonText, Message, MessageTopic, Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import { validateIdentify, validateProjectUser, validateTrack } from '../../messages/validate.ts';
import { versionAfter } from '../../messages/version.ts';

type JsonMembers = Readonly<Record<string, unknown>>;

/** What an edit cannot change. The user, where no caller's id names one, and the session are facts of the log. */
const FIXED = ['topic', 'project_id', 'message_id', 'internal_id', 'session_id'];

/**
 * The message as it can be edited. Free-form objects keep every digit; one that is not the JSON of an object is its text.
 */
export function editableRecord(topic: string, message: Message): JsonMembers {
  return bodyOf(topic, message).exact as JsonMembers;
}

/**
 * Where two JSON values differ, as JSON pointers, without what is there: of objects the members that do, of anything else the
 * value as a whole. Pure.
 */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => {
      const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return changedPaths(memberOf(before, name), memberOf(after, name), at);
    });
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export type ReadEdit =
  | { readonly ok: true; readonly message: Message }
  /** Paths from the root of what was given. Never empty. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * What the message becomes by a correction, which is checked as ingest checks a call. A member that is left out stays as it
 * is. It keeps its message id, the time of its arrival and, unless its timestamp is corrected, its place in the order of
 * messages, in which it follows what it corrects: so a store that has taken the message itself takes the correction, too.
 */
export function readEdit(text: string, topic: MessageTopic, message: Message): ReadEdit {
  const parsed = parseBody(text);
  if (!parsed.ok) return parsed;
  const { plain, exact } = parsed.value;
  if (!isObject(plain) || !isObject(exact)) return invalidEdit([{ path: '', message: 'is not an object' }]);
  const before = bodyOf(topic, message);
  const problems = problemsWithMembers(plain, before.plain as JsonMembers);
  if (problems.length > 0) return invalidEdit(problems);
  const after = {
    plain: { ...(before.plain as JsonMembers), ...plain },
    exact: { ...(before.exact as JsonMembers), ...exact },
  };
  if (toJsonText(after.exact) === toJsonText(before.exact)) {
    return invalidEdit([{ path: '', message: 'changes nothing; replay the dead letter instead' }]);
  }
  const corrected = correctedMessage(after, message);
  return 'problems' in corrected ? invalidEdit(corrected.problems) : { ok: true, message: corrected };
}

function invalidEdit(problems: readonly Problem[]): Extract<ReadEdit, { ok: false }> {
  return { ok: false, problems };
}

function bodyOf(topic: string, message: Message): JsonBody {
  const { projectId, messageId, userId, anonymousId, userKey, timestamp } = message;
  const who =
    userId === null && anonymousId === null
      ? { internal_id: userKey }
      : { user_id: userId, ...(message.type !== 'session' && { anonymous_id: anonymousId }) };
  const head = { topic, project_id: projectId, message_id: messageId, ...who, timestamp: formatMicros(timestamp) };
  const parts = contentOf(message);
  const both = (side: keyof JsonBody): JsonMembers => ({
    ...head,
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part[side]])),
  });
  return { plain: both('plain'), exact: both('exact') };
}

function contentOf(message: Message): Readonly<Record<string, JsonBody>> {
  switch (message.type) {
    case 'identify':
      return { traits: freeForm(message.traits), context: freeForm(message.context) };
    case 'track':
      return {
        event: same(message.event),
        properties: freeForm(message.properties),
        ...(message.sessionId !== null && { session_id: same(message.sessionId) }),
      };
    case 'session':
    default:
      return {
        anonymous: same(message.anonymous),
        traits: freeForm(message.traits),
        session_id: same(message.sessionId),
      };
  }
}

function freeForm(text: JsonText | null): JsonBody {
  const parsed = text === null ? undefined : parseBody(text);
  return parsed?.ok === true && isObject(parsed.value.plain) ? parsed.value : same(text);
}

function same(value: unknown): JsonBody {
  return { plain: value, exact: value };
}

function problemsWithMembers(given: JsonMembers, known: JsonMembers): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const path = `/${name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed()}`;
    if (!Object.hasOwn(known, name)) problems.push({ path, message: `is unknown here; known are: ${namesOf(known)}` });
    else if (FIXED.includes(name) && value !== known[name]) problems.push({ path, message: 'cannot be changed' });
  }
  return problems.slice(0, 20);
}

function namesOf(known: JsonMembers): string {
  return Object.keys(known).join(', ');
}

type Corrected = Message | { readonly problems: readonly Problem[] };

function correctedMessage(after: JsonBody, message: Message): Corrected {
  switch (message.type) {
    case 'identify':
      return correctedIdentify(after, message);
    case 'track':
      return correctedTrack(after, message);
    case 'session':
    default:
      return correctedSession(after, message);
  }
}

function correctedIdentify(after: JsonBody, message: Extract<Message, { type: 'identify' }>): Corrected {
  const { context } = after.plain as JsonMembers;
  const wrongContext =
    context === null || isObject(context) ? [] : [{ path: '/context', message: 'must be an object or null' }];
  const validated = validateIdentify(callOf(after, message, ['timestamp', 'traits']), 'UTC');
  if (!validated.ok) return { problems: [...inOurWords(validated.problems), ...wrongContext] };
  if (wrongContext.length > 0) return { problems: wrongContext };
  const { context: exact } = after.exact as JsonMembers;
  const { traits, timestamp, userId, anonymousId } = validated.draft;
  return restamped(message, timestamp, {
    ...whoOf(message, userId, anonymousId),
    traits,
    context: exact === null ? null : toJsonText(exact),
    // Claims are for copies that change nothing; this one does.
    messageIdGiven: false,
  });
}

function correctedTrack(after: JsonBody, message: Extract<Message, { type: 'track' }>): Corrected {
  const validated = validateTrack(callOf(after, message, ['timestamp', 'event', 'properties']), 'UTC');
  if (!validated.ok) return { problems: inOurWords(validated.problems) };
  const { event, properties, timestamp, userId, anonymousId } = validated.draft;
  return restamped(message, timestamp, { ...whoOf(message, userId, anonymousId), event, properties });
}

function correctedSession(after: JsonBody, message: Extract<Message, { type: 'session' }>): Corrected {
  const at = validateTrack(callOf(after, message, ['timestamp'], { event: 'session' }), 'UTC');
  const body = (side: keyof JsonBody): JsonMembers => {
    const { user_id, anonymous, traits } = after[side] as JsonMembers;
    return { user_id, anonymous, custom_parameters: traits };
  };
  const validated = validateProjectUser({ plain: body('plain'), exact: body('exact') });
  if (!validated.ok || !at.ok) {
    const all = [...(validated.ok ? [] : inOurWords(validated.problems)), ...(at.ok ? [] : inOurWords(at.problems))];
    return { problems: [...new Map(all.map((problem) => [problem.path, problem])).values()] };
  }
  const { userId, anonymous, traits } = validated.draft;
  return restamped(message, at.draft.timestamp, {
    ...whoOf(message, userId, null),
    anonymous,
    traits,
    messageIdGiven: false,
  });
}

/** A call of these members, as ingest would have it of this user. */
function callOf(
  after: JsonBody,
  { messageId }: Message,
  names: readonly string[],
  besides: JsonMembers = {},
): JsonBody {
  const side = (of: keyof JsonBody): JsonMembers => {
    const members = after[of] as JsonMembers;
    const { user_id: userId, anonymous_id: anonymousId } = members;
    const known = Object.hasOwn(members, 'internal_id') ? { user_id: 'known by the internal id' } : {};
    return {
      ...known,
      ...((userId ?? null) !== null && { user_id: userId }),
      ...((anonymousId ?? null) !== null && { anonymousId }),
      message_id: messageId,
      ...Object.fromEntries(names.map((name) => [name, members[name]])),
      ...besides,
    };
  };
  return { plain: side('plain'), exact: side('exact') };
}

const OUR_WORDS: Readonly<Record<string, string>> = {
  '/anonymousId': '/anonymous_id',
  '/custom_parameters': '/traits',
};

function inOurWords(problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: OUR_WORDS[path] ?? path, message }));
}

type Who = Pick<Message, 'userId' | 'anonymousId' | 'userKey'>;

function whoOf(message: Message, userId: string | null, anonymousId: string | null): Who {
  const { projectId } = message;
  if (message.userId === null && message.anonymousId === null) {
    return { userId: null, anonymousId: null, userKey: message.userKey };
  }
  const userKey = userId === null ? anonymousKeyOf(projectId, anonymousId ?? '') : userKeyOf(projectId, userId);
  return { userId, anonymousId, userKey };
}

function restamped<M extends Message>(message: M, timestamp: bigint | null, changes: Partial<M>): M {
  const at = timestamp ?? message.timestamp;
  return { ...message, ...changes, timestamp: at, version: versionAfter(message, at) };
}
