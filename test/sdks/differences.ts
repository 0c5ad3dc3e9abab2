import { isDeepStrictEqual } from 'node:util';
import type { Call, Json, JsonObject } from './call.ts';
import type { ReadBack, ReadEvent } from './read-back.ts';

/** The service may correct the clock of a caller by the time between sending and arrival. */
const CLOCK_CORRECTION_MS = 5_000;

/** Members of a call that the service keeps under the properties of the event. */
const BESIDE_PROPERTIES = ['name', 'category', 'groupId', 'previousId', 'traits'] as const;

/** In what the record differs from the calls, in words that are the same on every run. */
export function differencesOf(calls: readonly Call[], lacks: readonly string[], recorded: ReadBack): readonly string[] {
  const made = calls.map((call) => withoutMembers(call, lacks));
  const differences = [
    ...profileDifferences(
      made.filter(({ type }) => type === 'identify'),
      recorded,
    ),
    ...eventDifferences(
      made.filter(({ type }) => type !== 'identify'),
      recorded.events,
    ),
  ];
  return [...new Set(differences)];
}

function withoutMembers(call: Call, lacks: readonly string[]): Partial<Call> & Pick<Call, 'type'> {
  return Object.fromEntries(Object.entries(call).filter(([name]) => !lacks.includes(name))) as unknown as Call;
}

type MadeCall = ReturnType<typeof withoutMembers>;

function profileDifferences(identifies: readonly MadeCall[], { profile }: ReadBack): readonly string[] {
  const [first] = identifies;
  if (first === undefined) return [];
  if (profile === undefined) return ['traits'];
  const traits: Record<string, Json> = Object.assign({}, ...identifies.map(({ traits }) => traits));
  const set = Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null));
  return [
    ...(isDeepStrictEqual(profile.traits, set) ? [] : ['traits']),
    ...(isTime(first.timestamp, profile.first_seen) ? [] : ['timestamp']),
    ...(first.anonymousId === undefined || profile.anonymous_ids?.includes(first.anonymousId) ? [] : ['anonymousId']),
  ];
}

function eventDifferences(made: readonly MadeCall[], events: readonly ReadEvent[]): readonly string[] {
  const differences = made.flatMap((call) => {
    const mine = events.filter(
      ({ event, properties }) =>
        event === (call.event ?? call.type) && (call.properties?.['n'] ?? null) === (properties['n'] ?? null),
    );
    const [event, ...more] = mine;
    if (event === undefined) return ['message'];
    return more.length > 0 ? ['recorded more than once'] : callDifferences(call, event);
  });
  return events.length > made.length ? [...differences, 'recorded more than once'] : differences;
}

function callDifferences(call: MadeCall, event: ReadEvent): readonly string[] {
  const { properties } = event;
  const beside = BESIDE_PROPERTIES.filter((name) => !isKept(call[name], properties[name]));
  return [
    ...(isTime(call.timestamp, event.timestamp) ? [] : ['timestamp']),
    ...(isKept(call.properties, properties) ? [] : ['properties']),
    ...(isKept(call.context, properties['context']) ? [] : ['context']),
    ...(call.userId === undefined || call.anonymousId === undefined || event.anonymous_id === call.anonymousId
      ? []
      : ['anonymousId']),
    ...beside,
  ];
}

/** @param wanted Undefined: the SDK cannot say it. */
function isTime(wanted: string | undefined, found: string): boolean {
  return wanted === undefined || Math.abs(Date.parse(wanted) - Date.parse(found)) <= CLOCK_CORRECTION_MS;
}

/** Objects may have more members than were called: SDKs add some. */
function isKept(wanted: Json | undefined, found: Json | undefined): boolean {
  if (wanted === undefined) return true;
  if (!isObject(wanted)) return isDeepStrictEqual(wanted, found);
  return isObject(found) && Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(value, found[name]));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
