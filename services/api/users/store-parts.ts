/** The stores that answer requests about users, each named where it cannot be reached. */
import type { AnalyticsParts } from '../../questions/query-budget.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { ErasureRequests } from '../../operations/erasure/erasure-requests.ts';
import type { ProfileReader } from '../../stores/profiles/profile-reader.ts';

/** The stores that answer requests about users. */
export interface UserStores extends AnalyticsParts {
  readonly profiles: ProfileReader;
  /** Nobody was forgotten where it is left out. */
  readonly erasures?: Pick<ErasureRequests, 'newestOf'>;
}

/** A part of the service as `/readyz` names it. */
type StorePart = 'profiles' | 'analytics';

class PartUnavailable extends Error {
  readonly part: StorePart;

  constructor(part: StorePart, cause: unknown) {
    super(`${part} cannot be reached`, { cause });
    this.name = 'PartUnavailable';
    this.part = part;
  }
}

/** What a part answers. @throws PartUnavailable where it cannot be reached; otherwise what `asked` throws. */
export async function answerOf<T>(part: StorePart, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, 'STORE_UNAVAILABLE') || hasCode(error, 'STORE_TIMEOUT')) throw new PartUnavailable(part, error);
    throw error;
  }
}

/** Runs a handler. A part that cannot be reached is named in its refusal, which is 503. */
export async function namingParts(handle: () => Promise<Answer | Refusal>): Promise<Answer | Refusal> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof PartUnavailable)) throw error;
    const detail = `The part ${error.part} cannot be reached now. Send the same request again later.`;
    return { refused: 'unavailable', detail };
  }
}
