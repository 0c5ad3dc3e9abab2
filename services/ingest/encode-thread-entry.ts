/** The thread of `EncodeThread`. */
import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Codec } from '../messages/codec.ts';
import type { MessageTopic, Problem } from '../messages/message.ts';
import { EmbeddedSchemaIds } from '../messages/schema-ids.ts';
import { type AcceptedBody, type JobFacts, readBodyJob } from './encode-job.ts';
import { encodeBody, type EncodedBody } from './record-encoder.ts';

/** What the thread is sent: the facts and the bytes of a `BodyJob`. */
export interface ThreadRequest {
  readonly facts: JobFacts;
  readonly bytes: Uint8Array;
}

/** What it answers, to one request after the other: the keys and values of the records in turn, one behind the other. */
export type ThreadAnswer =
  | { readonly problems: readonly Problem[] }
  | {
      readonly accepted: AcceptedBody;
      readonly topics: readonly MessageTopic[];
      readonly lengths: readonly number[];
      readonly bytes: Uint8Array;
    };

/** A request that is encoded beside the answers to others gives them the processor first. */
const NICENESS = 5;

const ids = workerData as Readonly<Record<string, number>>;
const embedded = new EmbeddedSchemaIds();
const codec = new Codec({
  idOf: (topic) => ids[topic] ?? embedded.idOf(topic),
  schemaOf: (id) => embedded.schemaOf(id),
  fetch: () => Promise.resolve(),
});
const port = parentPort as MessagePort;

if (process.platform === 'linux') setPriority(NICENESS);
port.on('message', ({ facts, bytes }: ThreadRequest) => {
  const job = readBodyJob(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const body = encodeBody(facts, job, codec);
  if (body.ok) {
    const answer = packed(body);
    port.postMessage(answer, [answer.bytes.buffer]);
  } else port.postMessage({ problems: body.problems } satisfies ThreadAnswer);
});

function packed({ records, accepted }: EncodedBody) {
  const parts = records.flatMap(({ key, value }) => [key, value]);
  const lengths = parts.map(({ length }) => length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { accepted: accepted(null), topics: records.map(({ topic }) => topic), lengths, bytes } satisfies ThreadAnswer;
}
