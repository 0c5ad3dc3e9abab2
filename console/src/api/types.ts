/** What the service answers, by the names that the screens use: all but the stream is of the OpenAPI document. */
import type { Json, RawNumber } from './json.ts';
import type { Answer as Documented, OperationName } from '../../../schemas/operations.ts';

/** The answer of an operation (`GET /v1/users`) as `ask` reads it: every number as its text. */
export type Answer<Name extends OperationName> = Raw<Documented<Name>>;

export type Raw<T> = unknown extends T
  ? Json
  : T extends number
    ? RawNumber
    : T extends object
      ? { readonly [K in keyof T]: Raw<T[K]> }
      : T;

export type Session = NonNullable<Answer<'GET /console/session'>['session']>;
export type Project = Session['projects'][number];

// Users.
export type Profile = Answer<'GET /v1/users/{user_id}'>;
export type JoinedId = NonNullable<Profile['joined_ids']>[number];
export type TimelineEntry = Answer<'GET /v1/users/{user_id}/timeline'>['timeline'][number];
export type UserEvent = Answer<'GET /v1/users/{user_id}/events'>['events'][number];
export type UserAudience = Answer<'GET /v1/users/{user_id}/audiences'>['audiences'][number];
export type GivenValue = Answer<'GET /v1/users/{user_id}/traits/{name}/history'>['values'][number];

// Audiences.
export type SavedAudience = Answer<'GET /v1/audiences/{id}'>;
export type AudienceVersion = Answer<'GET /v1/audiences/{id}/versions'>['versions'][number];
export type HistoryEntry = Answer<'GET /v1/audiences/{id}/history'>['history'][number];
export type AudienceMember = WithoutEnd<Answer<'GET /v1/audiences/{id}/members'>>;
export type AudienceChange = WithoutEnd<Answer<'GET /v1/audiences/{id}/changes'>>;
export type AudiencePreview = Answer<'POST /v1/audiences/preview'>;
export type Endpoint = Answer<'GET /v1/endpoints/{id}'>;
export type Watch = Answer<'GET /v1/watches'>['watches'][number];
export type Delivery = Answer<'GET /v1/endpoints/{id}/deliveries'>['deliveries'][number];
export type AudienceVerdict = Answer<'GET /v1/audiences/{id}/why'>['why'];

/** What ends an answer in lines. */
export interface LastLine {
  readonly next_cursor: string | null;
}
type WithoutEnd<Line> = Exclude<Line, LastLine>;

// Events.
export type CatalogName = Answer<'GET /v1/catalog/events'>['events'][number];
export type CatalogProperties = Answer<'GET /v1/catalog/events/{name}/properties'>;
export type CatalogMember = CatalogProperties['properties'][number];
export type Counts = Answer<'POST /v1/events/counts'>;
export type CountsBucket = Counts['buckets'][number];
export type CountsSeries = Counts['series'][number];
export type Funnel = Answer<'POST /v1/funnels'>;
export type ProjectEvent = Answer<'POST /v1/events/query'>['events'][number];
export type RefusalGroup = Answer<'GET /v1/refusals'>['refusals'][number];

// Answers for operators.
export type InstallationStatus = Answer<'GET /v1/admin/status'>;
export type ReaderName = keyof InstallationStatus['readers'];
export type ReaderStatus = InstallationStatus['readers'][ReaderName];
export type ProcessStatus = NonNullable<InstallationStatus['processes']>[number];
export type Attention = InstallationStatus['attention'][number];
export type ProjectStatus = Answer<'GET /v1/status'>;
export type Pin = Answer<'GET /v1/pins'>['pins'][number];
export type Note = Answer<'GET /v1/notes'>['notes'][number];
export type ProjectSummary = Answer<'GET /v1/summary'>;
export type Verification = Answer<'GET /v1/admin/verifications/{id}'>;
export type VerificationJob = Verification['verification'];
export type VerifiedHour = Verification['hours'][number];
export type AdminProject = Answer<'GET /v1/admin/projects/{id}'>;
export type Joins = Answer<'GET /v1/admin/projects/{id}/joins'>;
export type Join = Answer<'GET /v1/admin/projects/{id}/joins/{anonymous_id}'>;
export type AdminKey = Answer<'GET /v1/admin/keys'>['keys'][number];
export type CreatedKey = Answer<'POST /v1/admin/keys'>;
export type Erasure = Answer<'GET /v1/admin/erasures/{id}'>;
export type AuditEntry = Answer<'GET /v1/admin/audit'>['entries'][number];
export type Generations = Answer<'GET /v1/admin/generations'>;
export type Generation = Generations['generations'][number];
export type ComparisonJob = Answer<'POST /v1/admin/generations/{kind}/{number}/compare'>;
export type ImportJob = Answer<'GET /v1/admin/imports/{id}'>;
export type ImportPreview = Answer<'POST /v1/admin/imports/preview'>;
export type ImportFile = Answer<'POST /v1/admin/imports/files'>;
export type DeadLettersPage = Answer<'GET /v1/admin/dead-letters'>;
export type DeadLetter = DeadLettersPage['dead_letters'][number];
export type WholeDeadLetter = Answer<'GET /v1/admin/dead-letters/{id}'>;
export type EditedDeadLetter = Answer<'POST /v1/admin/dead-letters/{id}/edit'>;
export type SettledDeadLetters = NonNullable<Answer<'POST /v1/admin/dead-letters/replay'>['result']>;

/** A row of `GET /v1/events/live`, a stream, whose events the document describes in words. */
export type LiveRow = Omit<FoundMessage, 'receipt'> & {
  readonly receipt?: string;
  readonly adjusted?: readonly { readonly path: string; readonly message: string }[];
  /** The traits of its user that were wanted, as they were when the row was written. */
  readonly user_traits?: Readonly<Record<string, Json>>;
};
type FoundMessage = Answer<'GET /v1/messages/{message_id}'>['messages'][number];
