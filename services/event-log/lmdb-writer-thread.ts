/**
 * The thread that writes for a log: a commit waits for the disk, which the thread that serves requests must not. All that
 * has come in when it begins a transaction goes into that one; what comes while it is under way is the next.
 */
import { join } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { failureOf } from './lmdb-errors.ts';
import { DATA_FILE } from './lmdb-folder.ts';
import { Gate } from './lmdb-gate.ts';
import { claim, type Claimant, release } from './lmdb-leases.ts';
import type {
  Answered,
  AppendRequest,
  AppendResult,
  Asked,
  WriteRequest,
  WriterData,
  WriteResult,
} from './lmdb-requests.ts';
import { Room } from './lmdb-room.ts';
import { LmdbStore } from './lmdb-store.ts';
import { thisProcess } from './process-identity.ts';

if (parentPort === null) throw new Error('this is the entry of a worker thread');
const port = parentPort;
const { folder, leaseMs, gate: memory } = workerData as WriterData;
const gate = new Gate(memory);
const self = thisProcess();
const held = new Map<string, Claimant>();
let store: LmdbStore | undefined;
let room: Room | undefined;
let renewal: NodeJS.Timeout | undefined;

port.on('message', (first: Asked) => {
  const asked = [first];
  for (;;) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) break;
    asked.push(next.message as Asked);
  }
  answer(asked);
});

function answer(asked: readonly Asked[]): void {
  const writes = asked.filter((one): one is Asked & { readonly request: WriteRequest } => one.request.kind !== 'close');
  if (writes.length > 0) {
    const answers = carryOut(writes);
    for (const one of answers) port.postMessage(one, transferOf(one));
  }
  const close = asked.find(({ request }) => request.kind === 'close');
  if (close !== undefined) void end(close.id);
}

/** All of them or, where one fails, none. */
function carryOut(writes: readonly { readonly id: number; readonly request: WriteRequest }[]): readonly Answered[] {
  try {
    const opened = (store ??= gate.pass(() => LmdbStore.open(folder, [], undefined)));
    const results = gate.pass(() =>
      opened.transact(() => {
        makeRoom(writes);
        return writes.map(({ request }) => apply(opened, request));
      }),
    );
    for (const [i, { request }] of writes.entries()) remember(request, results[i]);
    return writes.map(({ id }, i) => ({ id, result: results[i] as WriteResult }));
  } catch (error) {
    const { code, message } = failureOf(error, 'to write');
    return writes.map(({ id }) => ({ id, error: { code, message } }));
  }
}

function makeRoom(writes: readonly { readonly request: WriteRequest }[]): void {
  let bytes = 0;
  for (const { request } of writes) {
    if (request.kind === 'append') for (const { length } of request.chunks) bytes += length;
  }
  if (bytes > 0) (room ??= new Room(join(folder, DATA_FILE))).makeFor(bytes);
}

function apply(opened: LmdbStore, request: WriteRequest): WriteResult {
  if (request.kind === 'append') return append(opened, request);
  if (request.kind === 'claim') return claim(opened, request, self, leaseMs);
  if (request.kind === 'release') release(opened, request);
  else if (request.kind === 'commit') opened.commit(request.group, request.positions);
  else opened.putNote('checked', { atMs: Date.now() });
  return true;
}

function append(opened: LmdbStore, { bytes, chunks }: AppendRequest): AppendResult {
  const ends = opened.ends();
  const appendedAtMs = Date.now();
  const offsets = chunks.map(({ slot, at, length, count }) => {
    const offset = ends[slot] as number;
    opened.append(opened.layout.slot(slot), offset, Buffer.from(bytes, at, length), count, appendedAtMs);
    ends[slot] = offset + count;
    return offset;
  });
  opened.putEnds(ends);
  return { offsets, appendedAtMs, bytes };
}

/** A lease counts as held once it is on disk. */
function remember(request: WriteRequest, result: WriteResult | undefined): void {
  if (request.kind === 'claim' && result === true) held.set(request.member, request);
  if (request.kind === 'release') held.delete(request.member);
  if (held.size > 0) renewal ??= setInterval(renew, leaseMs / 3);
  if (held.size === 0) {
    clearInterval(renewal);
    renewal = undefined;
  }
}

/** In this thread, so that a reader busy for seconds keeps what it holds. */
function renew(): void {
  try {
    const opened = store;
    const claimants = [...held.values()];
    const renewAll = (): readonly boolean[] | undefined =>
      opened?.transact(() => claimants.map((claimant) => claim(opened, claimant, self, leaseMs)));
    const kept = gate.pass(renewAll);
    claimants.forEach(({ group, member }, i) => {
      if (kept?.[i] !== false) return;
      held.delete(member);
      const lost: Answered = { lost: { group, member } };
      port.postMessage(lost);
    });
  } catch {
    // A full disk: tried again in a while. Should it last past the lease, another may take the group, as it may ours.
  }
}

function transferOf(answered: Answered): ArrayBuffer[] {
  return 'result' in answered && typeof answered.result === 'object' ? [answered.result.bytes] : [];
}

async function end(id: number): Promise<void> {
  clearInterval(renewal);
  await store?.close();
  room?.close();
  const closed: Answered = { id, result: true };
  port.postMessage(closed);
  port.close();
}
