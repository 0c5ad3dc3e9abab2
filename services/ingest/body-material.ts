/** A body on its way to the thread that makes records of it, and what that thread says of them on the way back. */
import type { Material } from '../event-log/record-maker.ts';
import type { ReceiptSigner } from '../http/receipt-signer.ts';
import type { Micros } from '../messages/message.ts';
import { messageIdAt } from '../messages/message-id.ts';
import type { PublicProject, PublicSource } from './public-body.ts';
import type { MessageCounts } from '../messages/arrival.ts';

/** What the bodies of one project on one path have in common. */
export interface SharedByBodies {
  readonly project: PublicProject;
  readonly source: PublicSource;
  readonly processBits: number;
  /** Signs the receipts. */
  readonly signer: ReceiptSigner;
}

/** One body. */
export interface TakenBody {
  /** What `messageIdIn` names its messages by. */
  readonly firstId: string;
  /** Of its first message; those after it came a microsecond later each. */
  readonly receivedAt: Micros;
  /** Valid UTF-8. */
  readonly text: string;
}

const ID_BYTES = 36;
// A double: exact up to the year 2255, and it is the time now.
const HEAD_BYTES = ID_BYTES + 8;

/** A request's body as it came; in front of it what its messages are named and dated by. */
export class BodyMaterial implements Material {
  readonly shared: SharedByBodies;
  readonly length: number;
  readonly firstId: string;
  readonly #receivedAt: Micros;
  readonly #body: Uint8Array;

  /** @param firstId A UUID. */
  constructor(shared: SharedByBodies, firstId: string, receivedAt: Micros, body: Uint8Array) {
    this.shared = shared;
    this.length = HEAD_BYTES + body.length;
    this.firstId = firstId;
    this.#receivedAt = receivedAt;
    this.#body = body;
  }

  write(target: Buffer, at: number): void {
    target.write(this.firstId, at, ID_BYTES, 'latin1');
    target.writeDoubleLE(Number(this.#receivedAt), at + ID_BYTES);
    target.set(this.#body, at + HEAD_BYTES);
  }
}

/** The id of a body's message at `index`: what the caller gave it, or one counted up from the body's own. */
export function messageIdIn(firstId: string, given: string | null, index: number): string {
  return given ?? messageIdAt(firstId, index);
}

export function readMaterial(bytes: Buffer): TakenBody {
  return {
    firstId: bytes.toString('latin1', 0, ID_BYTES),
    receivedAt: BigInt(bytes.readDoubleLE(ID_BYTES)),
    text: bytes.toString('utf8', HEAD_BYTES),
  };
}

/** What there is to say of a body whose messages are safe. */
export interface BodyReport {
  readonly counts: MessageCounts;
  /** The answer's body. */
  readonly answer: string;
}

export function writeReport({ counts: { identify, track }, answer }: BodyReport): string {
  return `${identify} ${track} ${answer}`;
}

export function readReport(report: string): BodyReport {
  const first = report.indexOf(' ');
  const second = report.indexOf(' ', first + 1);
  const counts = {
    identify: Number(report.slice(0, first)),
    track: Number(report.slice(first + 1, second)),
    session: 0,
  };
  return { counts, answer: report.slice(second + 1) };
}
