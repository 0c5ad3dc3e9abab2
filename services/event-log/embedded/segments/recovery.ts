import { join } from 'node:path';
import { isIntact, RECORD_HEADER_BYTES, seedOf } from './chunk.ts';
import { FIRST_SEGMENT_NOTE, removeCut } from './cut.ts';
import { damaged } from './errors.ts';
import { grown, Layout } from './layout.ts';
import { type Frame, FRAME_KIND, framesIn } from './frame.ts';
import { type LogEnd, readHead } from './head.ts';
import type { CommitBody, LogView } from './log-view.ts';
import { finishRedo, NEW_REDO_FILE } from './erasure.ts';
import { SegmentFile } from './segment-file.ts';
import { bodyAlone } from './segment-transaction.ts';
import { TRIAL_FILE, type WritableParts } from './segment-writer.ts';
import { LOG_STATE } from './shared-log.ts';

const COPY_BYTES = 2 ** 20;

/**
 * Brings the log of a folder into the state that its threads share: creates it, or finds its end. The first thread of the
 * process that opens the log does this, under the lock, before anybody reads.
 *
 * What a crash left at the end is cut off: it is torn if nothing valid follows, and if it lies beyond what the head says is
 * flushed. Anything else that cannot be read is damage. It stays where it is, and the log goes on in a new segment. Where
 * it hides which offsets were given, the new segment leaves out as many as could have been.
 *
 * @throws TidemarkError `LOG_DAMAGED` where the end of the log is lost; `LOG_FOREIGN`; Error of the file system.
 */
export function recover(parts: WritableParts, topics: readonly string[], partitions: number | undefined): void {
  const { files, folder, shared, segments, view, writer } = parts;
  removeLeftovers(parts);
  const head = readHead(files, folder);
  removeUnbegun(parts, head);
  shared.countOverwrite();
  const [last] = segments.list().at(-1) ?? [];
  if (last === undefined) {
    if (head !== undefined) throw damaged(`the event log in ${folder} has lost its segments`);
    files.expectRoom(folder, 0);
    view.useTopics(grown([], topics, partitions));
    shared.first = 1;
    shared.flushed = { segment: 0, end: 0 };
    writer.begin(view.ends);
    return;
  }
  if (head !== undefined && head.segment > last) {
    throw damaged(`the event log in ${folder} has lost its segment ${head.segment}`);
  }
  finishRedo(parts);
  readLastSegment(parts, last, head?.segment === last ? head.end : 0);
  shared.first = (view.notes.get(FIRST_SEGMENT_NOTE) as number | undefined) ?? 1;
  removeCut(parts);
}

/** Creates the topics that the log lacks. */
export function createTopics(
  { files, folder, view, writer }: WritableParts,
  wanted: readonly string[],
  partitions: number | undefined,
): void {
  view.follow();
  const topics = grown(view.topics, wanted, partitions);
  if (topics.length === view.topics.length) return;
  files.expectRoom(folder, 0);
  writer.commit(bodyAlone({ topics }), []);
}

function removeLeftovers({ files, folder }: WritableParts): void {
  for (const name of files.names(folder)) {
    if (name === NEW_REDO_FILE || TRIAL_FILE.test(name)) files.remove(join(folder, name));
  }
}

/** Removes segments that were being begun: nothing was written to them yet. */
function removeUnbegun({ files, folder, segments }: WritableParts, head: LogEnd | undefined): void {
  const listed = segments.list();
  const [last = 0] = listed.at(-1) ?? [];
  const twins = listed.filter(([number]) => number === last);
  const unbegun =
    last <= (head?.segment ?? 0)
      ? []
      : twins.filter(([, name]) => {
          const file = new SegmentFile(files, folder, name);
          try {
            return isUnbegun(file, twins.length > 1);
          } finally {
            file.close();
          }
        });
  if (last > 1 && unbegun.length === listed.length) {
    throw damaged(`the event log in ${folder} has lost the beginning of its only segment`);
  }
  for (const [, name] of unbegun) files.remove(join(folder, name));
  if (unbegun.length > 0) files.flushFolder(folder);
}

/** @param hasTwin Where two have a number, no frame was written to the one that was given up. */
function isUnbegun(file: SegmentFile, hasTwin: boolean): boolean {
  let beginnings = 0;
  for (const { kind } of framesIn(file, 0, file.size())) {
    if (kind !== FRAME_KIND.beginning) return false;
    beginnings++;
  }
  return hasTwin || beginnings < 2;
}

function readLastSegment(parts: WritableParts, last: number, flushed: number): void {
  const { shared, view, writer } = parts;
  view.enter(last, Infinity);
  const { file, framesAt } = view;
  const size = file.size();
  // Where the file ends before what was flushed, the last frame may be there in part.
  const frames = [...framesIn(file, framesAt, Math.max(size, flushed))];
  dropTorn(view, frames, flushed);
  const unknown: number[] = [];
  let isDamaged = false;
  for (const frame of frames) {
    isDamaged ||= frame.position > view.scanned;
    noteLoss(unknown, view, frame.position - view.scanned);
    view.apply(frame);
    for (const { partition } of frame.chunks) unknown[partition] = 0;
  }
  const end = view.scanned;
  isDamaged ||= Math.min(end, size) < flushed;
  noteLoss(unknown, view, flushed - end);
  shared.flushed = { segment: last, end };
  finishTail(parts, { from: flushed, end, size, isDamaged });
  // What was read beyond the end is written anew.
  file.forget();
  writer.noteEnd({ segment: last, end: Math.max(end, flushed) });
  shared.flushed = { segment: last, end };
  if (isDamaged) writer.begin(view.ends.map((offset, partition) => offset + (unknown[partition] ?? 0)));
  else shared.state = frames.at(-1)?.kind === FRAME_KIND.index ? LOG_STATE.full : LOG_STATE.ready;
}

/** Leaves out the last frames that were not flushed and are not whole. */
function dropTorn(view: LogView, frames: Frame[], flushed: number): void {
  let { topics } = view;
  for (const { kind, body } of frames) {
    if (kind === FRAME_KIND.commit && body.length > 0) {
      topics = (JSON.parse(body.toString()) as CommitBody).topics ?? topics;
    }
  }
  const layout = new Layout(topics);
  for (let last = frames.at(-1); last !== undefined && last.end > flushed; last = frames.at(-1)) {
    if (hasWholeChunks(view.file, last, layout)) return;
    frames.pop();
  }
}

function hasWholeChunks(file: SegmentFile, { chunks, end }: Frame, layout: Layout): boolean {
  return chunks.every(({ partition, first, position, length }) => {
    const bytes = file.bytes(position, length, end);
    const of = layout.partitions[partition];
    // Where the frame that created its topic is damaged, nothing is known of it.
    if (of === undefined) return true;
    return bytes !== undefined && isIntact(bytes, seedOf(of, first));
  });
}

/** A record takes some bytes at least, which bounds the number of offsets that were given in bytes that are lost. */
function noteLoss(unknown: number[], { ends }: LogView, bytes: number): void {
  if (bytes <= 0) return;
  for (const partition of ends.keys()) {
    unknown[partition] = (unknown[partition] ?? 0) + Math.floor(bytes / RECORD_HEADER_BYTES);
  }
}

interface Tail {
  /** What lies before is known to be flushed. */
  readonly from: number;
  readonly end: number;
  readonly size: number;
  readonly isDamaged: boolean;
}

/**
 * Cuts off what is torn, and flushes what readers are about to see. It is written again before: after a flush that failed,
 * a system may take what it has in memory for flushed.
 */
function finishTail({ files, writer }: WritableParts, { from, end, size, isDamaged }: Tail): void {
  if (size <= from) return;
  const descriptor = writer.descriptor();
  if (size > end && !isDamaged) files.truncate(descriptor, end);
  const memory = Buffer.alloc(COPY_BYTES);
  for (let at = from; at < end; at += COPY_BYTES) {
    const piece = memory.subarray(0, Math.min(COPY_BYTES, end - at));
    const read = files.read(descriptor, piece, at);
    files.write(descriptor, [piece.subarray(0, read)], at);
  }
  files.flush(descriptor);
}
