import { isObject } from '../../../messages/sdk/sdk-call.ts';
import type { RecordMembers } from '../mapping/members.ts';
import { type Preset, usersBy } from './preset.ts';

/** The lines of `/export`. https://docs.mixpanel.com/reference/raw-event-export */
export const mixpanel: Preset = {
  name: 'mixpanel',
  format: 'ndjson',
  signs: ['event', 'properties.distinct_id', 'properties.time'],
  mapping: {
    rules: [
      { to: 'timestamp', from: ['properties.time'] },
      { to: 'message_id', from: ['properties.$insert_id'] },
      { to: 'user_id', from: ['properties.$user_id', 'properties.distinct_id'] },
      { to: 'anonymousId', from: ['properties.$device_id'] },
      { to: 'event', from: ['event'] },
      { to: 'properties', from: ['properties'] },
    ],
    constants: { type: 'track' },
    rest: 'free',
  },
  prepare: withoutDeviceAsUser,
};

/** The members of `results` of `/engage`, a line each. https://docs.mixpanel.com/reference/engage-query */
export const mixpanelPeople: Preset = {
  name: 'mixpanel-people',
  format: 'ndjson',
  signs: ['$distinct_id', '$properties'],
  timezone: 'UTC',
  mapping: usersBy([
    { to: 'user_id', from: ['$distinct_id'] },
    { to: 'anonymousId', from: ['$device_id'] },
    { to: 'timestamp', from: ['$properties.$last_seen'] },
    { to: 'traits', from: ['$properties'] },
  ]),
  prepare: withPlainNames,
};

function withoutDeviceAsUser(record: RecordMembers): RecordMembers {
  const { properties } = record;
  return isObject(properties) ? { ...record, properties: deviceApart(properties, 'distinct_id') } : record;
}

/** The id of somebody unknown is `$device:` and the device's id, in events and in profiles, and names no user. */
function deviceApart(members: RecordMembers, name: string): RecordMembers {
  const { [name]: id, ...rest } = members;
  if (typeof id !== 'string' || !id.startsWith('$device:')) return members;
  return { $device_id: id.slice('$device:'.length), ...rest };
}

const PLAIN_NAMES: Readonly<Record<string, string>> = {
  $email: 'email',
  $name: 'name',
  $first_name: 'first_name',
  $last_name: 'last_name',
  $phone: 'phone',
  $avatar: 'avatar',
  $created: 'created_at',
};

/** Mixpanel's own properties under the names that traits have, where those are free. */
function withPlainNames(record: RecordMembers): RecordMembers {
  const { $properties: given } = record;
  if (!isObject(given)) return deviceApart(record, '$distinct_id');
  const named = Object.entries(given).map(([name, value]) => {
    const plain = PLAIN_NAMES[name];
    return [plain === undefined || Object.hasOwn(given, plain) ? name : plain, value] as const;
  });
  return { ...deviceApart(record, '$distinct_id'), $properties: Object.fromEntries(named) };
}
