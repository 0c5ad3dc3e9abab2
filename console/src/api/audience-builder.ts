/** What the service answers about definitions and saved audiences, as far as the builder uses it. */
import type { Json, RawNumber } from './json.ts';

export interface AudienceMember {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
}

/** `POST /v1/audiences/preview` */
export interface AudiencePreview {
  readonly count: RawNumber;
  readonly sample_users: readonly AudienceMember[];
  readonly took_ms: RawNumber;
  readonly rows_read: RawNumber;
}

/** `POST /v1/audiences/compare` */
export interface AudienceComparison {
  readonly from: { readonly count: RawNumber };
  readonly to: { readonly count: RawNumber };
  readonly entering: { readonly count: RawNumber };
  readonly leaving: { readonly count: RawNumber };
}

/** `POST /v1/audiences/explain` */
export interface AudienceExplanation {
  readonly database: string;
  readonly sql: string;
  readonly rows: RawNumber;
}

export interface AudienceEvidence {
  readonly message_id: string;
  readonly timestamp: string;
}

/** Of one part of a definition. */
export interface AudienceVerdict {
  readonly path: string;
  readonly kind: 'all' | 'any' | 'not' | 'trait' | 'event';
  readonly is_met: boolean;
  readonly changes_at: string | null;
  readonly of?: readonly AudienceVerdict[];
  readonly value?: Json;
  readonly version?: { readonly timestamp: string; readonly is_deletion: boolean } | null;
  readonly count?: RawNumber;
  readonly first?: AudienceEvidence | null;
  readonly last?: AudienceEvidence | null;
}

/** `POST /v1/audiences/why` */
export interface AudienceWhy extends AudienceMember {
  readonly is_member: boolean;
  readonly changes_at: string | null;
  readonly why: AudienceVerdict;
}

/** `GET /v1/audiences/{id}` */
export interface SavedAudience {
  readonly id: string;
  readonly name: string;
  readonly definition: Json;
  readonly revision: RawNumber;
  readonly refresh: string | null;
}
