import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** What a project's receipts are signed with; of types that can be cloned between threads. */
export interface ReceiptSigner {
  readonly projectId: string;
  /** The two blocks that HMAC-SHA256 hashes ahead of the message and of its inner hash: 128 bytes. */
  readonly pads: Uint8Array;
}

export const SIGNATURE_BYTES = 16;

// SHA-256's.
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

// No session can be taken for this: its signature is over 16 random bytes and more, by the same secret. So receipts have a
// key that signs nothing else.
const KEY_LABEL = 'receipt';

/** The part of a project that its receipts depend on. */
interface Signing {
  readonly id: string;
  readonly sessionSecret: Uint8Array;
}

const signers = new WeakMap<Signing, ReceiptSigner>();

/** Worked out once for each object. */
export function receiptSignerOf(project: Signing): ReceiptSigner {
  let signer = signers.get(project);
  if (signer === undefined) signers.set(project, (signer = newSigner(project)));
  return signer;
}

function newSigner({ id, sessionSecret }: Signing): ReceiptSigner {
  const key = createHmac('sha256', sessionSecret).update(KEY_LABEL).digest();
  const pads = new Uint8Array(2 * BLOCK_BYTES).fill(0x36, 0, BLOCK_BYTES).fill(0x5c, BLOCK_BYTES);
  key.forEach((byte, i) => {
    pads[i] = (pads[i] as number) ^ byte;
    pads[BLOCK_BYTES + i] = (pads[BLOCK_BYTES + i] as number) ^ byte;
  });
  return { projectId: id, pads };
}

const INNER = Buffer.alloc(BLOCK_BYTES + 4_096);
const OUTER = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);
// The pads at their starts, which are mostly those of the receipt before.
let padsThere: Uint8Array | undefined;

function putPads(pads: Uint8Array): void {
  INNER.set(pads.subarray(0, BLOCK_BYTES));
  OUTER.set(pads.subarray(BLOCK_BYTES));
  padsThere = pads;
}

/**
 * Writes the signature of the first `length` bytes, at most 4,096, behind them: `SIGNATURE_BYTES` of their HMAC-SHA256.
 * As two hashes in one go it takes 0.6 µs; `createHmac` takes 1.5 to 9, and every request is signed for.
 */
export function writeSignature({ pads }: ReceiptSigner, bytes: Buffer, length: number): void {
  if (pads !== padsThere) putPads(pads);
  bytes.copy(INNER, BLOCK_BYTES, 0, length);
  OUTER.write(hash('sha256', INNER.subarray(0, BLOCK_BYTES + length)), BLOCK_BYTES, 'hex');
  bytes.write(hash('sha256', OUTER).slice(0, 2 * SIGNATURE_BYTES), length, 'hex');
}

/** Whether the bytes end with the signature of those before it. */
export function isSignedBy(signer: ReceiptSigner, bytes: Buffer): boolean {
  const length = bytes.length - SIGNATURE_BYTES;
  const expected = Buffer.from(bytes);
  writeSignature(signer, expected, length);
  return timingSafeEqual(expected.subarray(length), bytes.subarray(length));
}
