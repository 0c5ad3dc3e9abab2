/** What was refused of a project's messages, counted by key, path and problem. */

/** In place of a project's id: of requests that no project is known for. */
export const NO_PROJECT_ID = '';

/** What refusals are counted by. */
export interface RefusalGroup {
  readonly projectId: string;
  /** '' where it is not known. Without a project it is the beginning of what was sent for a key. */
  readonly keyId: string;
  /** Path of the route, as `/v1/track`. Without a route it is the known part of what was asked for. */
  readonly path: string;
  /** The kind of problem, as `invalid-body`. */
  readonly code: string;
  /** An RFC 6901 pointer with `*` for indices of lists; '' for the whole body, and where no member is at fault. */
  readonly pointer: string;
}

export interface CountedRefusals extends RefusalGroup {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** What was said of one of them. */
  readonly message: string;
  /** The beginning of one of them; null where no body was read. */
  readonly example: string | null;
  /** What the program that sent one of them calls itself; null where it said nothing. */
  readonly userAgent: string | null;
}

/** What was counted of one group in all, and its id within the project: text that names nothing. */
export interface ListedRefusals extends CountedRefusals {
  readonly id: string;
  /** The name of the key; null where it has none, or is not known. */
  readonly keyName: string | null;
}

/** A position in the list. */
export type RefusalCursor = Pick<ListedRefusals, 'lastAtMs' | 'id'>;

/** The most groups of a project a day; what is beyond them is counted in the group `otherGroup`. */
export const MAX_GROUPS_A_DAY = 1_000;
/** How long refusals are listed, and kept. */
export const KEPT_DAYS = 30;

/** Where no project is known, the causes stay apart: there are few. */
export function otherGroup({ projectId, code }: Pick<RefusalGroup, 'projectId' | 'code'>): RefusalGroup {
  return { projectId, keyId: '', path: '', code: projectId === NO_PROJECT_ID ? code : 'other', pointer: '' };
}

/** UTC, in days since 1970. */
export function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000);
}
