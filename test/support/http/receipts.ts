import { crc32 } from 'node:zlib';
import { decodeReceipt, type Receipt } from '../../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../../services/messages/receipt/receipt-signer.ts';
import type { Project } from '../../../services/stores/projects/project-store.ts';

/** What a receipt of this project says. @throws where it is not a receipt. */
export function readReceipt(text: string, project: Pick<Project, 'id' | 'sessionSecret'>): Receipt {
  const receipt = decodeReceipt(text, receiptSignerOf(project));
  if (receipt === undefined || receipt === 'foreign') throw new Error(`no receipt of ${project.id}: ${text}`);
  return receipt;
}

/** Whole numbers below 2^53 as receipts write them. */
export function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...leb(Math.floor(value / 0x80))];
}

/** What comes ahead of a receipt's places: the format, the project and the time. */
export function headOf(format: number, projectId: string, acceptedAtMs: number): number[] {
  return [format, ...leb(projectId.length), ...Buffer.from(projectId), ...leb(acceptedAtMs)];
}

/** A receipt as they were before they were signed, which anybody can make. */
export function unsignedReceipt(bytes: readonly number[]): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(Buffer.from(bytes)));
  return Buffer.concat([Buffer.from(bytes), checksum]).toString('base64url');
}
