/** A request body on its way to the record encoder, and what the encoder answers, both as a thread can be sent them. */
import type { EncodeJob } from '../event-log/event-log.ts';
import { type ReceiptSigner, receiptSignerOf } from '../messages/receipt/receipt-signer.ts';
import type { MessageCounts } from '../messages/arrival.ts';
import type { Micros, Problem, Source } from '../messages/message.ts';
import type { Project } from '../stores/projects/project-store.ts';

/** The call that a body came by. */
export type BodySource = Exclude<Source, 'import'>;

/** What the bodies of one project on one path have in common; of types that can be cloned. */
export interface JobFacts {
  readonly projectId: string;
  /** For a timestamp without an offset. */
  readonly timezone: string;
  readonly source: BodySource;
  /** Whether invalid items of a batch are left out, and do not have the others refused. */
  readonly isLenient: boolean;
  readonly processBits: number;
  /** Signs the receipts. */
  readonly signer: ReceiptSigner;
  /** Signs the sessions of the two-step interface; empty for other sources. */
  readonly sessionSecret: Uint8Array;
}

/** One object for all requests of a project to a path, so that it is sent to a thread once for many jobs. */
export class FactsOfProjects {
  readonly #facts = new WeakMap<Project, Map<string, JobFacts>>();

  of(project: Project, source: BodySource, isLenient: boolean, processBits: number): JobFacts {
    let ofProject = this.#facts.get(project);
    if (ofProject === undefined) this.#facts.set(project, (ofProject = new Map<string, JobFacts>()));
    const name = isLenient ? 'lenient batch' : source;
    let facts = ofProject.get(name);
    if (facts?.processBits !== processBits) {
      const { id, timezone } = project;
      const isTwoStep = source === 'project-user' || source === 'add-event';
      const sessionSecret = isTwoStep ? project.sessionSecret : NO_SECRET;
      const signer = receiptSignerOf(project);
      facts = { projectId: id, timezone, source, isLenient, processBits, signer, sessionSecret };
      ofProject.set(name, facts);
    }
    return facts;
  }
}

const NO_SECRET = new Uint8Array();

/** One body, and what its messages are named and dated by. */
export interface BodyToEncode {
  /** A UUID: the id of the first message that has no other; the others count up from it. */
  readonly firstId: string;
  /** '' where the request has none. */
  readonly idempotencyKey: string;
  /** The arrival of the first of these messages; the others arrive a microsecond later each. */
  readonly receivedAt: (messages: number) => Micros;
  /** When the request arrived: what an SDK's clock is held against. */
  readonly arrivedAt: Micros;
  /** Valid UTF-8. */
  readonly text: string;
}

const ID_BYTES = 36;
// A double: exact up to the year 2255, and it is the time now.
const TIME_BYTES = 8;
const KEY_LENGTH_BYTES = 4;
const JOB_HEAD_BYTES = ID_BYTES + TIME_BYTES + KEY_LENGTH_BYTES;

/** The body as it came, behind what its messages are named and dated by. */
export class BodyJob implements EncodeJob {
  readonly shared: JobFacts;
  readonly length: number;
  readonly #firstId: string;
  readonly #receivedAt: Micros;
  readonly #idempotencyKey: string;
  readonly #keyBytes: number;
  readonly #body: Buffer;

  constructor(shared: JobFacts, firstId: string, receivedAt: Micros, idempotencyKey: string, body: Buffer) {
    this.shared = shared;
    this.#firstId = firstId;
    this.#receivedAt = receivedAt;
    this.#idempotencyKey = idempotencyKey;
    this.#keyBytes = idempotencyKey === '' ? 0 : Buffer.byteLength(idempotencyKey);
    this.#body = body;
    this.length = JOB_HEAD_BYTES + this.#keyBytes + body.length;
  }

  /** The same job for an encoder in this thread. */
  get toEncode(): BodyToEncode {
    return {
      firstId: this.#firstId,
      idempotencyKey: this.#idempotencyKey,
      receivedAt: () => this.#receivedAt,
      arrivedAt: this.#receivedAt,
      text: this.#body.toString('utf8'),
    };
  }

  write(target: Buffer, at: number): void {
    target.write(this.#firstId, at, ID_BYTES, 'latin1');
    target.writeDoubleLE(Number(this.#receivedAt), at + ID_BYTES);
    target.writeUInt32LE(this.#keyBytes, at + ID_BYTES + TIME_BYTES);
    if (this.#keyBytes > 0) target.write(this.#idempotencyKey, at + JOB_HEAD_BYTES);
    target.set(this.#body, at + JOB_HEAD_BYTES + this.#keyBytes);
  }
}

export function readBodyJob(bytes: Buffer): BodyToEncode {
  const receivedAt = BigInt(bytes.readDoubleLE(ID_BYTES));
  const bodyAt = JOB_HEAD_BYTES + bytes.readUInt32LE(ID_BYTES + TIME_BYTES);
  return {
    firstId: bytes.toString('latin1', 0, ID_BYTES),
    idempotencyKey: bytes.toString('utf8', JOB_HEAD_BYTES, bodyAt),
    receivedAt: () => receivedAt,
    arrivedAt: receivedAt,
    text: bytes.toString('utf8', bodyAt),
  };
}

/** What the answer to a request is put together from once its messages are safe. */
export interface AcceptedBody {
  readonly counts: MessageCounts;
  /** Null where the messages wait on local disk: their positions in the log are not known yet. */
  readonly receipt: string | null;
  /** A JSON array, in the order given; null for an item that was left out. */
  readonly messageIds: string;
  /** How many items of a batch were left out. */
  readonly rejected: number;
  /** JSON: the rejected items of a batch, the user and session of project-user; else ''. */
  readonly details: string;
  /** JSON: pointers to members that nothing reads; '' where there are none. */
  readonly ignored: string;
  /** JSON: what of an SDK's calls was mended or left out, the first 100; '' where nothing was. */
  readonly adjusted: string;
  /** The number of messages that were adjusted. */
  readonly adjustedMessages: number;
}

const PROBLEMS_MARK = '!';

// JSON text has no line feed, so each member is a line.
export function writeAccepted(accepted: AcceptedBody): string {
  const { counts, receipt, messageIds, rejected, details, ignored, adjusted, adjustedMessages } = accepted;
  const { identify, track, session } = counts;
  const numbers = [identify, track, session, rejected, adjustedMessages];
  return [...numbers, receipt, messageIds, details, ignored, adjusted].join('\n');
}

export function writeProblems(problems: readonly Problem[]): string {
  return PROBLEMS_MARK + JSON.stringify(problems);
}

/** Whether the encoder refused the body: no record of it was appended. */
export function isProblems(result: string): boolean {
  return result.startsWith(PROBLEMS_MARK);
}

export function readProblems(result: string): readonly Problem[] {
  return JSON.parse(result.slice(PROBLEMS_MARK.length)) as readonly Problem[];
}

/** Reads the result of a job whose records were appended, which has a receipt. */
export function readAccepted(result: string): AcceptedBody {
  const [identify, track, session, rejected, adjustedMessages, ...texts] = result.split('\n');
  const [receipt = '', messageIds = '', details = '', ignored = '', adjusted = ''] = texts;
  const counts = { identify: Number(identify), track: Number(track), session: Number(session) };
  const numbers = { rejected: Number(rejected), adjustedMessages: Number(adjustedMessages) };
  return { counts, receipt, messageIds, details, ignored, adjusted, ...numbers };
}
