/** The stores that answer requests about users, each named where it cannot be reached. */
import { type Refusal, refusalOf } from '../../http/problems.ts';
import type { ErasureRequests } from '../../operations/erasure/erasure-requests.ts';
import type { AnalyticsParts } from '../../questions/query-budget.ts';
import { hasCode, TidemarkError } from '../../runtime/errors.ts';
import { callMethod, standInFor } from '../../runtime/stand-in.ts';
import type { ProfileReader } from '../../stores/profiles/profile-reader.ts';

/** The stores that answer requests about users. */
export interface UserStores extends AnalyticsParts {
  readonly profiles: ProfileReader;
  /** Nobody was forgotten where it is left out. */
  readonly erasures?: Pick<ErasureRequests, 'newestOf'>;
}

/** A part of the service as `/readyz` names it. */
type StorePart = 'profiles' | 'analytics';

class PartUnavailable extends TidemarkError {
  readonly part: StorePart;

  constructor(part: StorePart, cause: TidemarkError) {
    super(cause.code, `${part} cannot be reached`, { cause });
    this.part = part;
  }
}

/** The same stores: where one cannot be reached, what it throws names the part that it is of. */
export function namedStores<T extends UserStores & { readonly saved: object }>(parts: T): T {
  const { profiles, analytics, saved, erasures } = parts;
  return {
    ...parts,
    profiles: ofPart('profiles', profiles),
    analytics: ofPart('analytics', analytics),
    saved: ofPart('profiles', saved),
    ...(erasures && { erasures: ofPart('profiles', erasures) }),
  };
}

function ofPart<T extends object>(part: StorePart, store: T): T {
  return standInFor<T>(async (method, args) => {
    try {
      return await callMethod(store, method, args);
    } catch (error) {
      if (hasCode(error, 'STORE_UNAVAILABLE') || hasCode(error, 'STORE_TIMEOUT'))
        throw new PartUnavailable(part, error);
      throw error;
    }
  });
}

/** A part that cannot be reached is named, in a 503. */
export function refusalNamingPart(error: unknown): Refusal {
  if (!(error instanceof PartUnavailable)) return refusalOf(error);
  const detail = `The part ${error.part} cannot be reached now. Send the same request again later.`;
  return { refused: 'unavailable', detail };
}
