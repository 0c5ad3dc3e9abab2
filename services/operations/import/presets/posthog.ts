import { eventsBy, type Preset, usersBy } from './preset.ts';

/** The model `events` as JSON lines. https://posthog.com/docs/cdp/batch-exports/s3 */
export const posthog: Preset = {
  name: 'posthog',
  format: 'ndjson',
  signs: ['uuid', 'event', 'distinct_id', 'properties', 'timestamp'],
  timezone: 'UTC',
  mapping: eventsBy([
    { to: 'message_id', from: ['uuid'] },
    { to: 'user_id', from: ['distinct_id'] },
    { to: 'event', from: ['event'] },
    { to: 'timestamp', from: ['timestamp'] },
    { to: 'properties', from: ['properties'] },
    // Those of the export of persons are newer.
    { to: null, from: ['person_properties'] },
    { to: null, from: ['_inserted_at'] },
  ]),
};

/** The model `persons`: a line for each `distinct_id`, with the latest properties of its person. */
export const posthogPersons: Preset = {
  name: 'posthog-persons',
  format: 'ndjson',
  signs: ['distinct_id', 'person_id', 'properties', 'person_version'],
  timezone: 'UTC',
  mapping: usersBy([
    { to: 'user_id', from: ['distinct_id'] },
    { to: 'timestamp', from: ['_inserted_at', 'created_at'] },
    { to: 'traits', from: ['properties'] },
  ]),
  prepare: (record) => (record['is_deleted'] === true ? 'is of a person who was deleted' : record),
};
