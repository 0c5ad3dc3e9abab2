/** The trees in a file of LMDB: pages of branches, and of leaves with the entries (mdb.c: MDB_node, MDB_db, MDB_ovpage). */
import { type DataFile, PAGE_HEADER_BYTES, rootIn } from './data-file.ts';

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The root pages of the named databases, by their names; undefined of an empty one. */
export type Roots = ReadonlyMap<string, number | undefined>;

/** A node of a leaf. */
interface LeafNode {
  readonly page: number;
  readonly kind: number;
  readonly key: Buffer;
  /** What is in the page: the value, or where it is. */
  readonly content: Buffer;
  /** Bytes of the value. */
  readonly size: number;
}

const NODE_BYTES = 8;
const BRANCH = 1;
const LEAF = 2;
const NODE_HAS_VALUE = 0;
const NODE_ON_OVERFLOW = 1;
const NODE_IS_TREE = 2;
/** Bytes of what says where a value on pages of its own is. */
const OVERFLOW_BYTES = 24;
/** Bytes of what describes a tree. */
const TREE_BYTES = 48;
const MAX_TREE_DEPTH = 32;

/** The named databases of a file, which are entries of its main tree. @throws TidemarkError `LOG_DAMAGED`. */
export function rootsIn(file: DataFile): Roots {
  const roots = new Map<string, number | undefined>();
  for (const { kind, key, content, size } of leafNodes(file, file.root)) {
    // lmdb ends the name with a zero.
    if (kind === NODE_IS_TREE && size === TREE_BYTES) roots.set(key.toString().replace('\0', ''), rootIn(content, 0));
  }
  return roots;
}

/**
 * The entries of a tree in the order of their keys. Pages and nodes are checked; what is in a value is as it stands in the
 * file, so it needs a checksum of its own.
 *
 * @throws TidemarkError `LOG_DAMAGED`.
 */
export function* entriesOf(file: DataFile, root: number | undefined): Generator<Entry> {
  for (const { page, kind, key, content, size } of leafNodes(file, root)) {
    if (kind === NODE_HAS_VALUE) yield { key, value: content };
    else if (kind === NODE_ON_OVERFLOW) yield { key, value: file.valueAt(Number(content.readBigUInt64LE()), size) };
    else throw file.damage(page, 'has a node of an unknown kind');
  }
}

function* leafNodes(file: DataFile, root: number | undefined, depth = 0): Generator<LeafNode> {
  if (root === undefined) return;
  if (depth > MAX_TREE_DEPTH) throw file.damage(root, 'is its own ancestor');
  const page = file.page(root);
  const kind = page.readUInt16LE(18);
  if (kind !== LEAF && kind !== BRANCH) throw file.damage(root, 'is no page of a tree');
  for (const at of nodesIn(file, root, page)) {
    if (kind === LEAF) yield leafNode(file, root, page, at);
    else yield* leafNodes(file, page.readUIntLE(at, 6), depth + 1);
  }
}

/** Where the nodes of a page begin. The header and key of each are within the page. */
function nodesIn(file: DataFile, number: number, page: Buffer): readonly number[] {
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const nodes: number[] = [];
  if (lower === 0) throw file.damage(number, 'has no node');
  if (lower > upper || upper > page.length - PAGE_HEADER_BYTES) throw file.damage(number, 'has impossible bounds');
  for (let at = PAGE_HEADER_BYTES; at < PAGE_HEADER_BYTES + lower; at += 2) {
    const node = PAGE_HEADER_BYTES + page.readUInt16LE(at);
    const intact = node >= PAGE_HEADER_BYTES + upper && node + NODE_BYTES <= page.length;
    if (!intact || node + NODE_BYTES + page.readUInt16LE(node + 6) > page.length) {
      throw file.damage(number, 'has a node outside of itself');
    }
    nodes.push(node);
  }
  return nodes;
}

function leafNode(file: DataFile, number: number, page: Buffer, at: number): LeafNode {
  const kind = page.readUInt16LE(at + 4);
  const key = page.subarray(at + NODE_BYTES, at + NODE_BYTES + page.readUInt16LE(at + 6));
  const size = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 0x1_0000;
  const contentAt = at + NODE_BYTES + key.length;
  const contentEnd = contentAt + (kind === NODE_ON_OVERFLOW ? OVERFLOW_BYTES : size);
  if (contentEnd > page.length) throw file.damage(number, 'has a value outside of itself');
  return { page: number, kind, key, content: page.subarray(contentAt, contentEnd), size };
}
