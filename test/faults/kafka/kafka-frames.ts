/** As much of Kafka's protocol as a proxy must know: https://kafka.apache.org/protocol#protocol_common */

/** Produce: the only request that writes records. */
export const PRODUCE = 0;

const SIZE_BYTES = 4;

export interface RequestHead {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
}

/** The head of a whole request frame, its size field included. */
export function requestHeadOf(frame: Buffer): RequestHead {
  return {
    apiKey: frame.readInt16BE(SIZE_BYTES),
    apiVersion: frame.readInt16BE(SIZE_BYTES + 2),
    correlationId: frame.readInt32BE(SIZE_BYTES + 4),
  };
}

/** Which request a whole response frame answers. */
export function correlationIdOf(frame: Buffer): number {
  return frame.readInt32BE(SIZE_BYTES);
}

/** Cuts a stream of bytes into frames, each with its size field. */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The frames that this chunk completes. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < SIZE_BYTES) return [];
    if (this.#chunks.length > 1 && this.#bytes < this.#expected()) return [];
    return this.#split(Buffer.concat(this.#chunks));
  }

  #expected(): number {
    const [first] = this.#chunks;
    return first && first.length >= SIZE_BYTES ? SIZE_BYTES + first.readInt32BE(0) : 0;
  }

  #split(bytes: Buffer): readonly Buffer[] {
    const frames: Buffer[] = [];
    let from = 0;
    while (bytes.length - from >= SIZE_BYTES) {
      const end = from + SIZE_BYTES + bytes.readInt32BE(from);
      if (end > bytes.length) break;
      frames.push(bytes.subarray(from, end));
      from = end;
    }
    this.#chunks = from < bytes.length ? [bytes.subarray(from)] : [];
    this.#bytes = bytes.length - from;
    return frames;
  }
}
