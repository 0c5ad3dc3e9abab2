import { damaged } from '../embedded/errors.ts';

export interface Pages {
  /** Reads a page; fewer bytes where the file ends within it. */
  readonly read: (page: number) => Buffer;
  /** How many whole pages the file has. */
  readonly pages: number;
  readonly lastPage: number;
  readonly pageBytes: number;
  readonly roots: readonly (number | undefined)[];
}

/** The root page in an MDB_db at `at`; undefined where its tree is empty. */
export function rootIn(bytes: Buffer, at: number): number | undefined {
  const root = bytes.readBigUInt64LE(at + 40);
  return root === 0xffff_ffff_ffff_ffffn ? undefined : Number(root);
}

export const PAGE_HEADER_BYTES = 24;
const NODE_BYTES = 8;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const NODE_ON_OVERFLOW = 1;
const NODE_IS_TREE = 2;
const MAX_TREE_DEPTH = 32;

/**
 * Traverses both trees down to every page that they use. Each page must lie in the file, be of the kind it is used as,
 * and keep its nodes within itself. The content of records is protected by their checksums, not here.
 *
 * @throws TidemarkError `LOG_DAMAGED`.
 */
export function checkPages(pages: Pages, file: string): void {
  const walk = new Walk(pages, file);
  for (const root of pages.roots) walk.tree(root, 0);
}

class Walk {
  readonly #pages: Pages;
  readonly #file: string;

  constructor(pages: Pages, file: string) {
    this.#pages = pages;
    this.#file = file;
  }

  tree(root: number | undefined, depth: number): void {
    if (root === undefined) return;
    if (depth > MAX_TREE_DEPTH) throw this.#damage(root, 'is its own ancestor');
    const page = this.#page(root);
    const flags = page.readUInt16LE(18);
    const isLeaf = flags === LEAF;
    if (!isLeaf && flags !== BRANCH) throw this.#damage(root, 'is no page of a tree');
    for (const node of this.#nodes(root, page)) {
      if (isLeaf) this.#leaf(root, page, node, depth);
      else this.tree(page.readUIntLE(node, 6), depth + 1);
    }
  }

  /** Where the nodes of a page begin. The header and key of each are within the page. */
  #nodes(number: number, page: Buffer): readonly number[] {
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    const nodes: number[] = [];
    // LMDB reads the first node of a page without looking at the count (seen: SIGBUS).
    if (lower === 0) throw this.#damage(number, 'has no node');
    if (lower > upper || upper > page.length - PAGE_HEADER_BYTES) throw this.#damage(number, 'has impossible bounds');
    for (let at = PAGE_HEADER_BYTES; at < PAGE_HEADER_BYTES + lower; at += 2) {
      const node = PAGE_HEADER_BYTES + page.readUInt16LE(at);
      const intact = node >= PAGE_HEADER_BYTES + upper && node + NODE_BYTES <= page.length;
      if (!intact || node + NODE_BYTES + page.readUInt16LE(node + 6) > page.length) {
        throw this.#damage(number, 'has a node outside of itself');
      }
      nodes.push(node);
    }
    return nodes;
  }

  #leaf(number: number, page: Buffer, node: number, depth: number): void {
    const flags = page.readUInt16LE(node + 4);
    const data = node + NODE_BYTES + page.readUInt16LE(node + 6);
    const size = page.readUInt16LE(node) + page.readUInt16LE(node + 2) * 0x1_0000;
    const inPage = flags === NODE_ON_OVERFLOW ? 24 : size;
    if (data + inPage > page.length) throw this.#damage(number, 'has a value outside of itself');
    if (flags === NODE_ON_OVERFLOW) this.#overflow(Number(page.readBigUInt64LE(data)), size);
    else if (flags === NODE_IS_TREE && size === 48) this.tree(rootIn(page, data), depth + 1);
    else if (flags !== 0) throw this.#damage(number, 'has a node of an unknown kind');
  }

  #overflow(first: number, size: number): void {
    const page = this.#page(first);
    const count = page.readUInt32LE(20);
    if (page.readUInt16LE(18) !== OVERFLOW || count * this.#pages.pageBytes < size + PAGE_HEADER_BYTES) {
      throw this.#damage(first, 'is too small for its value');
    }
    this.#within(first + count - 1);
  }

  #page(number: number): Buffer {
    this.#within(number);
    const page = this.#pages.read(number);
    if (page.length < this.#pages.pageBytes || page.readBigUInt64LE(0) !== BigInt(number)) {
      throw this.#damage(number, 'is another page');
    }
    return page;
  }

  #within(number: number): void {
    if (number > this.#pages.lastPage) throw this.#damage(number, 'was never made');
    if (number >= this.#pages.pages) throw this.#damage(number, 'is missing: the file was cut short');
  }

  #damage(page: number, what: string): Error {
    return damaged(`page ${page} of ${this.#file} ${what}`);
  }
}
