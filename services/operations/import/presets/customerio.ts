import type { RecordMembers } from '../mapping/members.ts';
import { eventsBy, type Preset } from './preset.ts';

/** The export of people. https://docs.customer.io/integrations/api/app/tag/exports/exportPeopleData/ */
export const customerioPeople: Preset = {
  name: 'customerio-people',
  format: 'csv',
  signs: ['cio_id', 'email'],
  mapping: { rules: [{ to: 'user_id', from: ['id'] }], constants: { type: 'identify' }, rest: 'free' },
  prepare: withAnyId,
};

/** The members of `activities` of `/v1/activities`, a line each. https://docs.customer.io/integrations/api/app/tag/activities/ */
export const customerioActivities: Preset = {
  name: 'customerio-activities',
  format: 'ndjson',
  signs: ['customer_identifiers', 'type', 'timestamp'],
  mapping: eventsBy([
    { to: 'message_id', from: ['id'] },
    { to: 'timestamp', from: ['timestamp'] },
    // As people are known, whose export names them in this order.
    {
      to: 'user_id',
      from: ['customer_identifiers.id', 'customer_id', 'customer_identifiers.email', 'customer_identifiers.cio_id'],
    },
    { to: 'event', from: ['name', 'type'] },
    { to: 'context.activity_type', from: ['type'] },
    { to: 'properties', from: ['data'] },
  ]),
};

/** People without an id of their own are known by their email, which stays a trait. */
function withAnyId(record: RecordMembers): RecordMembers {
  const id = record['id'] ?? record['email'] ?? record['cio_id'];
  return { ...record, ...(id === undefined ? {} : { id }) };
}
