/** What the service answers about refused requests. */
import type { RawNumber } from './json.ts';

export interface RefusalGroup {
  readonly key_id: string | null;
  /** Null for the group of what is beyond the limit of groups. */
  readonly path: string | null;
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
  readonly count: RawNumber;
  readonly first: string;
  readonly last: string;
  /** The beginning of what was refused; null where no body was read. */
  readonly example: string | null;
}

/** `GET /v1/refusals`, that which was refused last first */
export interface RefusalPage {
  readonly refusals: readonly RefusalGroup[];
  readonly next_cursor: string | null;
}
