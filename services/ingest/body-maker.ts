/**
 * Makes records of the bodies of `/v1/identify`, `/v1/track` and `/v1/batch`, in the thread in which the embedded log
 * writes. Of what is not valid it makes nothing: the thread that answers then finds out what is wrong with it.
 */
import type { Appended } from '../event-log/event-log.ts';
import type { MadeRecords } from '../event-log/record-maker.ts';
import { encodeReceipt } from '../http/receipt.ts';
import { Codec } from '../messages/codec.ts';
import { EmbeddedSchemaIds } from '../messages/schema-ids.ts';
import { messageIdIn, readMaterial, type SharedByBodies, writeReport } from './body-material.ts';
import { publicAnswer, readPublicBody } from './public-body.ts';
import { countByType, encoded, stamped } from '../messages/arrival.ts';

const codec = new Codec(new EmbeddedSchemaIds());

export function makeRecords(given: unknown, bytes: Buffer): MadeRecords | undefined {
  const { project, source, processBits, signer } = given as SharedByBodies;
  const { firstId, receivedAt, text } = readMaterial(bytes);
  const read = readPublicBody(text, source, project);
  if (!read.ok) return undefined;
  const messages = read.arrivals.map((arrival, index) =>
    stamped(arrival, {
      projectId: project.id,
      messageId: messageIdIn(firstId, arrival.messageId, index),
      messageIdGiven: arrival.messageId !== null,
      receivedAt: receivedAt + BigInt(index),
      processBits,
    }),
  );
  const report = (appended: readonly Appended[]): string => {
    const receipt = encodeReceipt(signer, appended[0]?.appendedAtMs ?? 0, appended);
    const messageIds = messages.map(({ messageId }) => messageId);
    return writeReport({ counts: countByType(messages), answer: publicAnswer(source, messageIds, receipt) });
  };
  return { records: messages.map((message) => encoded(message, codec)), report };
}
