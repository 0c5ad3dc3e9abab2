import type { ServiceProcess } from '../support/service/service.ts';
import type { JsonObject } from './call.ts';
import type { Ids } from './scenarios.ts';

/** An event as the service's answer has it, as far as it is looked at. */
export interface ReadEvent {
  readonly event: string;
  readonly timestamp: string;
  readonly properties: JsonObject;
  readonly anonymous_id?: string | null;
}

export interface ReadProfile {
  readonly traits: JsonObject;
  readonly first_seen: string;
  readonly anonymous_ids?: readonly string[];
}

/** Everything that the service says of a user: undefined where it says that there is none. */
export interface ReadBack {
  readonly profile: ReadProfile | undefined;
  readonly events: readonly ReadEvent[];
}

/** What was recorded under a user id. */
export function readUser(service: ServiceProcess, { userId }: Ids): Promise<ReadBack> {
  return readBack(service, `/v1/users/${encodeURIComponent(userId)}`, `/v1/users/${encodeURIComponent(userId)}/events`);
}

/** What was recorded under an anonymous id alone. */
export function readAnonymous(service: ServiceProcess, { anonymousId }: Ids): Promise<ReadBack> {
  const query = `anonymous_id=${encodeURIComponent(anonymousId)}`;
  return readBack(service, `/v1/users?${query}`, `/v1/events?${query}`);
}

async function readBack(service: ServiceProcess, profilePath: string, eventsPath: string): Promise<ReadBack> {
  const [profile, events] = await Promise.all([
    read<ReadProfile>(service, profilePath),
    read<{ readonly events: readonly ReadEvent[] }>(
      service,
      `${eventsPath}${eventsPath.includes('?') ? '&' : '?'}limit=1000`,
    ),
  ]);
  return { profile, events: events?.events ?? [] };
}

async function read<T>(service: ServiceProcess, path: string): Promise<T | undefined> {
  const response = await service.request(path);
  const answer = await response.text();
  if (response.status === 404) return undefined;
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${answer}`);
  return JSON.parse(answer) as T;
}
