import type { Rule } from '../mapping/mapping.ts';
import { eventsBy, type Preset, usersBy } from './preset.ts';

/** The export of events. https://amplitude.com/docs/apis/analytics/export */
const WHO_AND_WHEN: readonly Rule[] = [
  { to: 'user_id', from: ['user_id'] },
  { to: 'anonymousId', from: ['device_id'] },
  { to: 'timestamp', from: ['event_time', 'client_event_time'] },
];

const FORM = {
  format: 'ndjson',
  signs: ['event_type', 'event_time', 'amplitude_id'],
  // In UTC, without an offset.
  timezone: 'UTC',
} as const;

export const amplitude: Preset = {
  ...FORM,
  name: 'amplitude',
  mapping: eventsBy([
    ...WHO_AND_WHEN,
    { to: 'message_id', from: ['$insert_id', 'uuid'] },
    { to: 'event', from: ['event_type'] },
    { to: 'properties', from: ['event_properties'] },
    // The user's, which amplitude-users takes, and what is empty in every line.
    { to: null, from: ['user_properties'] },
    { to: null, from: ['data'] },
    { to: null, from: ['$schema'] },
  ]),
};

/** The same files: what was known of the user when each event took place. */
export const amplitudeUsers: Preset = {
  ...FORM,
  name: 'amplitude-users',
  mapping: usersBy([...WHO_AND_WHEN, { to: 'traits', from: ['user_properties'] }]),
};
