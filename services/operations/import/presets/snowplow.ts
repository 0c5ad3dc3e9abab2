import type { RecordMembers } from '../mapping/members.ts';
import { eventsBy, type Preset } from './preset.ts';

/** Enriched events as the analytics SDKs write them. https://docs.snowplow.io/docs/fundamentals/canonical-event/ */
export const snowplow: Preset = {
  name: 'snowplow',
  format: 'ndjson',
  signs: ['event_id', 'collector_tstamp', 'v_collector'],
  timezone: 'UTC',
  mapping: eventsBy([
    { to: 'message_id', from: ['event_id'] },
    { to: 'user_id', from: ['user_id'] },
    { to: 'anonymousId', from: ['domain_userid', 'network_userid'] },
    { to: 'timestamp', from: ['derived_tstamp', 'dvce_created_tstamp', 'collector_tstamp'] },
    { to: 'event', from: ['event_name', 'event'] },
    // The name in general of an event that has one of its own.
    { to: 'context.event', from: ['event'] },
    { to: 'properties', from: ['unstruct_event'] },
    { to: 'properties.category', from: ['se_category'] },
    { to: 'properties.action', from: ['se_action'] },
    { to: 'properties.label', from: ['se_label'] },
    { to: 'properties.property', from: ['se_property'] },
    { to: 'properties.value', from: ['se_value'] },
  ]),
  prepare: withUnstructEvent,
};

const UNSTRUCT = 'unstruct_event_';

/** The body of an event of its own kind, whose member is named after its schema. */
function withUnstructEvent(record: RecordMembers): RecordMembers {
  const name = Object.keys(record).find((key) => key.startsWith(UNSTRUCT));
  if (name === undefined) return record;
  const { [name]: body, ...rest } = record;
  return { ...rest, unstruct_event: body, schema: name.slice(UNSTRUCT.length) };
}
