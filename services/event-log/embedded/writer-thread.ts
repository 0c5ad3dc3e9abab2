/**
 * The writer thread of a log. A commit waits for the disk, which the thread that serves requests must not do. All requests
 * that have arrived when a transaction begins go into it; those that arrive meanwhile go into the next.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { unwatchThisThread, watchThisThread } from '../../runtime/watchdog/watchdog.ts';
import { SpareMemory } from './batch.ts';
import { failureOf } from './segments/errors.ts';
import { BatchEncoding } from './batch-encoding.ts';
import type {
  Answered,
  AppendRequest,
  AppendResult,
  Asked,
  DeletionRequest,
  WriteRequest,
  WriterData,
  WriterResult,
} from './requests.ts';
import type { RecordEncoder } from '../event-log.ts';
import type { Layout } from './segments/layout.ts';
import { SegmentStore } from './segments/segment-store.ts';
import type { SegmentTransaction } from './segments/segment-transaction.ts';

if (parentPort === null) throw new Error('this is the entry of a worker thread');
const port = parentPort;
const { folder, segmentBytes } = workerData as WriterData;
let store: SegmentStore | undefined;
let encoder: RecordEncoder | undefined;
const packing = new SpareMemory();
watchThisThread('the thread that writes the event log');

port.on('message', (first: Asked) => {
  const asked = [first];
  for (;;) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) break;
    asked.push(next.message as Asked);
  }
  handleRequests(asked);
});

interface Write extends Asked<WriteRequest> {
  /** The encoding of a request to encode. */
  readonly encoding: BatchEncoding | undefined;
}

function handleRequests(asked: readonly Asked[]): void {
  const writes: Asked<WriteRequest>[] = [];
  for (const { id, request } of asked) {
    if (request.kind === 'cut' || request.kind === 'erase') port.postMessage(deleteRecords(id, request));
    else if (request.kind !== 'load' && request.kind !== 'close') writes.push({ id, request });
  }
  if (writes.length > 0) for (const one of carryOut(writes)) port.postMessage(one, transferOf(one));
  for (const { id, request } of asked) {
    if (request.kind === 'load') void load(id, request.module);
    else if (request.kind === 'close') void end(id);
  }
}

/** The store of a log that this process has open. */
function openedStore(): SegmentStore {
  store ??= SegmentStore.open({ folder, topics: [], segmentBytes });
  return store;
}

/** Carries out all of them or, if one fails, none. */
function carryOut(asked: readonly Asked<WriteRequest>[]): readonly Answered[] {
  try {
    const opened = openedStore();
    const writes = asked.map(({ id, request }) => {
      const encoding =
        request.kind === 'encode' ? new BatchEncoding(request, encoder, opened.layout, packing) : undefined;
      return { id, request, encoding };
    });
    const begunAt = performance.now();
    const results = opened.transact((transaction) => {
      return writes.map((write) => apply(opened.layout, transaction, write));
    });
    const commitMs = performance.now() - begunAt;
    return writes.map(({ id, encoding }, i) => {
      const result = results[i] as WriterResult;
      return { id, result: encoding?.result(result as AppendResult, commitMs) ?? result };
    });
  } catch (error) {
    return asked.map(({ id }) => failed(id, error, 'to write'));
  }
}

function failed(id: number, error: unknown, doing: string): Answered {
  const { code, message } = failureOf(error, doing);
  return { id, error: { code, message } };
}

function apply(layout: Layout, transaction: SegmentTransaction, { request, encoding }: Write): WriterResult {
  if (encoding !== undefined) return append(layout, transaction, encoding.append);
  if (request.kind === 'append') return append(layout, transaction, request);
  transaction.putNote('checked', { atMs: Date.now() });
  return true;
}

function append(layout: Layout, transaction: SegmentTransaction, { bytes, chunks }: AppendRequest): AppendResult {
  const appendedAtMs = Date.now();
  const offsets = chunks.map(({ slot, at, length, count }) => {
    return transaction.append(layout.partitionAt(slot), Buffer.from(bytes, at, length), count, appendedAtMs);
  });
  return { offsets, appendedAtMs, bytes };
}

function deleteRecords(id: number, request: DeletionRequest): Answered {
  try {
    const opened = openedStore();
    if (request.kind === 'erase') {
      const { layout } = opened;
      const records = request.records.map(([index, offset]) => ({ partition: layout.partitionAt(index), offset }));
      return { id, result: opened.erase(records) };
    }
    return { id, result: opened.cut(request.below, request.most) };
  } catch (error) {
    return failed(id, error, 'to delete records');
  }
}

async function load(id: number, module: string): Promise<void> {
  try {
    ({ encodeRecords: encoder } = (await import(module)) as { readonly encodeRecords: RecordEncoder });
    port.postMessage({ id, result: true } satisfies Answered);
  } catch (error) {
    port.postMessage(failed(id, error, 'to load its record encoder'));
  }
}

function transferOf(answered: Answered): ArrayBuffer[] {
  return 'result' in answered && typeof answered.result === 'object' ? [answered.result.bytes] : [];
}

async function end(id: number): Promise<void> {
  unwatchThisThread();
  await store?.close();
  const closed: Answered = { id, result: true };
  port.postMessage(closed);
  port.close();
}
