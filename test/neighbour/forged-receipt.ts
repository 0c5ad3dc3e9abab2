/** A receipt without a signature, as services before receipts were signed gave them, that names what no log has. */
import { crc32 } from 'node:zlib';

const FORMAT_WITHOUT_SIGNATURE = 1;
const TRACK_TOPIC = 1;
const PARTITIONS = 450;
const FAR_OFFSET = 2_000_000_000;

export function forgedReceipt(projectId: string): string {
  const bytes: number[] = [FORMAT_WITHOUT_SIGNATURE, projectId.length, ...Buffer.from(projectId)];
  bytes.push(...varint(Date.now()), TRACK_TOPIC, ...varint(PARTITIONS));
  for (let partition = 0; partition < PARTITIONS; partition++) {
    bytes.push(partition === 0 ? 0 : 1, ...varint(FAR_OFFSET + partition));
  }
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(Buffer.from(bytes)));
  return Buffer.concat([Buffer.from(bytes), checksum]).toString('base64url');
}

/** LEB128. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return [...bytes, rest];
}
