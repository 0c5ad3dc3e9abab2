/** A log that is already there, for what reads it. */
import type { EventLog } from '../../services/event-log/event-log.ts';
import { Codec } from '../../services/messages/codec.ts';
import { type Message, topicOf } from '../../services/messages/message.ts';
import { newMessageId } from '../../services/messages/message-id.ts';
import { EmbeddedSchemaIds } from '../../services/messages/schema-ids.ts';
import { partitionKeyOf } from '../../services/messages/user-key.ts';
import { drawProcessBits, versionOf } from '../../services/messages/version.ts';
import { identify, track } from '../support/messages/messages.ts';

/** `BENCH_READERS_MESSAGES` (300,000): how many the readers' benchmarks read. */
export const MESSAGES = Number(process.env['BENCH_READERS_MESSAGES'] ?? 300_000);
/** Four tracks of a row each, an identify of five. Rows of users, which are folded, are not counted. */
export const ROWS_A_MESSAGE = (4 * 1 + 5) / 5;
const USERS = 50_000;
const PROJECT = 'proj_benchmark0000000000';

/** A codec with the ids of the embedded schemas. */
export const codec = new Codec(new EmbeddedSchemaIds());

interface HistoryOptions {
  readonly count?: number;
  /** They come in turn: no user twice before all of them came. */
  readonly users?: number;
  readonly encoder?: Pick<Codec, 'encode'>;
  readonly projectId?: string;
}

/** 80 % tracks with about 200 bytes of properties, 20 % identifies of 5 traits. */
export async function fill(
  log: EventLog,
  { count = MESSAGES, users = USERS, encoder = codec, projectId = PROJECT }: HistoryOptions = {},
): Promise<void> {
  const begunAt = BigInt(Date.now()) * 1000n;
  const processBits = drawProcessBits();
  for (let made = 0; made < count; made += 1000) {
    const messages = Array.from({ length: 1000 }, (_, index) =>
      messageOf(made + index, { projectId, users, receivedAt: begunAt + BigInt(made + index), processBits }),
    );
    await log.append(
      messages.map((message) => ({
        topic: topicOf(message),
        key: partitionKeyOf(message),
        value: encoder.encode(message),
      })),
    );
  }
}

interface Envelope {
  readonly projectId: string;
  readonly users: number;
  readonly receivedAt: bigint;
  readonly processBits: number;
}

function messageOf(index: number, { projectId, users, receivedAt, processBits }: Envelope): Message {
  const userId = `user-${(index * 7919) % users}`;
  const envelope = {
    messageId: newMessageId(),
    projectId,
    userId,
    receivedAt,
    version: versionOf(receivedAt, receivedAt, processBits),
  };
  if (index % 5 === 0) {
    const traits = { plan: 'pro', city: 'Lisbon', logins: index, score: index / 7, tags: ['a', 'b'] };
    return { ...identify({ ...envelope, traits: JSON.stringify(traits) }), source: 'batch' };
  }
  const properties = {
    order: `A-${index}`,
    total: (index % 50_000) / 100,
    currency: 'EUR',
    items: index % 9,
    coupon: null,
    channel: ['web', 'shop', 'app'][index % 3],
    address: { city: 'Lisbon', zip: '1100-048' },
    note: 'left at the door, as agreed with the neighbour',
  };
  return { ...track({ ...envelope, properties: JSON.stringify(properties) }), source: 'batch' };
}
