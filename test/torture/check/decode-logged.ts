import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { avroType, decodeFramed } from '../../../services/messages/avro.ts';
import type { LoggedMessage } from './model.ts';

const SCHEMAS = join(import.meta.dirname, '../../../schemas/messages');

/** By topic. */
const TYPES: ReadonlyMap<string, ReturnType<typeof avroType>> = new Map(
  ['identify', 'track', 'session'].map((name) => {
    const schema = JSON.parse(readFileSync(join(SCHEMAS, `${name}.avsc`), 'utf8')) as Parameters<typeof avroType>[0];
    return [`tidemark.${name}`, avroType(schema)] as const;
  }),
);

/** All fields of the three schemas. */
interface Fields {
  readonly message_id: string;
  readonly message_id_given: boolean;
  readonly project_id: string;
  readonly user_key: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly timestamp: bigint;
  readonly received_at: bigint;
  readonly version: string;
  readonly source: string;
  readonly traits?: string;
  readonly properties?: string;
  readonly event?: string;
  readonly session_id?: string | null;
  readonly anonymous?: boolean;
}

/** The message of a record; undefined where the record is not a message. Every record of a run was written with the schemas of now. */
export function decodeLogged(
  topic: string,
  partition: number,
  offset: bigint,
  value: Uint8Array,
): LoggedMessage | undefined {
  const type = TYPES.get(topic.replace('.import-', '.'));
  if (type === undefined || value[0] !== 0) return undefined;
  const fields = decodeFramed(value, type) as Fields | undefined;
  return (
    fields && {
      topic: topic as LoggedMessage['topic'],
      partition,
      offset,
      messageId: fields.message_id,
      messageIdGiven: fields.message_id_given,
      projectId: fields.project_id,
      userKey: fields.user_key,
      userId: fields.user_id,
      anonymousId: fields.anonymous_id,
      timestamp: fields.timestamp,
      receivedAt: fields.received_at,
      version: fields.version,
      source: fields.source,
      content: fields.traits ?? fields.properties ?? '{}',
      event: fields.event ?? null,
      sessionId: fields.session_id ?? null,
      anonymous: fields.anonymous ?? null,
    }
  );
}
