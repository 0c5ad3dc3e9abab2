/** `GET /v1/users/:user_id/export`: everything about one person, a JSON object a line. */
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { EARLIEST, formatMicros } from '../../messages/timestamp.ts';
import type { Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import {
  changesOfSpanQuery,
  type IdentifyRow,
  messagesAboveQuery,
  type SessionRow,
  type SettingType,
  type UserChangeRow,
  type VersionTraitsRow,
  versionTraitsQuery,
} from '../../questions/users/user-history.ts';
import type { WholeProfile } from '../../stores/profiles/profile.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { decodeCursor } from '../../questions/events/cursor.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { CountedLines, ndjsonAnswer } from '../ndjson.ts';
import { eventBody, type Page, readPage } from './events.ts';
import { changeLine, messageLine, typed } from './history-lines.ts';
import { NOBODY, personNamed } from './named-user.ts';
import type { UserStores } from './store-parts.ts';
import { profileBody } from './users.ts';

export interface ExportParts extends UserStores {
  readonly saved: Pick<SqlAudienceStore, 'list' | 'find' | 'findAll' | 'liveEpochs'>;
}

const EVENTS_AT_ONCE = 1_000;

/** What can be refused is asked first; a failure after that cuts the stream, which then has no last line. */
export async function answerExport(parts: ExportParts, { project }: Call, userKey: string): Promise<Answer | Refusal> {
  const user = await personNamed(parts, project, userKey);
  const profile = await parts.profiles.findWhole(user.projectId, user.userKey);
  const events = await readPage(parts.analytics, { ...user, limit: EVENTS_AT_ONCE });
  // The sink may be ahead of the projector.
  if (profile === undefined && events.events.length === 0) return NOBODY;
  const lines = new CountedLines(new Export(parts, project, user).lines(profile, events));
  return ndjsonAnswer(lines, { end: () => ({ type: 'end', lines: lines.ending().lines }) });
}

// A message may set traits of 500 KB, so the first page is small.
const FIRST_MESSAGES = 20;
const MOST_MESSAGES = 1_000;
const PAGE_CHARS = 1_000_000;
const CHANGES_AT_ONCE = 1_000;
const AUDIENCES_AT_ONCE = 1_000;

/** Reads page after page, each when the one before it has been sent: one is in memory. */
class Export {
  readonly #parts: ExportParts;
  readonly #limits: QueryLimits;
  readonly #user: ProjectUser;

  constructor(parts: ExportParts, project: Project, user: ProjectUser) {
    this.#parts = parts;
    this.#limits = parts.limitsOf(project);
    this.#user = user;
  }

  async *lines(profile: WholeProfile | undefined, events: Page): AsyncGenerator<Uint8Array> {
    if (profile !== undefined) yield joined(profileLines(profile));
    yield* this.#messages('identify');
    yield* this.#messages('session');
    yield* this.#tracks(events);
    yield* this.#changes();
  }

  async *#messages(type: SettingType): AsyncGenerator<Uint8Array> {
    let above = 0n;
    for (let limit = FIRST_MESSAGES; ;) {
      const query = messagesAboveQuery(type, this.#user, above, limit);
      const rows = await this.#ask<IdentifyRow | SessionRow>(query);
      const last = rows.at(-1);
      if (last === undefined) return;
      above = BigInt(last.version);
      const versions = [...new Set(rows.map(({ version }) => version))];
      const found = await this.#ask<VersionTraitsRow>(
        versionTraitsQuery(this.#user, versions, Number.MAX_SAFE_INTEGER),
      );
      const traits = new Map(found.map((row) => [row.version, row.traits]));
      const lines = rows.map((row) => messageLine(row, traits.get(row.version) ?? []));
      yield joined(lines);
      if (rows.length < limit) return;
      const chars = lines.reduce((sum, { length }) => sum + length, 0);
      limit = Math.min(MOST_MESSAGES, Math.max(1, Math.floor((limit * PAGE_CHARS) / Math.max(chars, 1))));
    }
  }

  async *#tracks(first: Page): AsyncGenerator<Uint8Array> {
    for (let page = first; ;) {
      if (page.events.length > 0) yield joined(page.events.map((event) => typed('track', eventBody(event))));
      const after = page.nextCursor === null ? undefined : decodeCursor(page.nextCursor);
      if (after === undefined) return;
      page = await readPage(this.#parts.analytics, { ...this.#user, limit: EVENTS_AT_ONCE, after });
    }
  }

  async *#changes(): AsyncGenerator<Uint8Array> {
    const saved = await this.#parts.saved.list(this.#user.projectId, AUDIENCES_AT_ONCE);
    const names = new Map(saved.map(({ id, name }) => [id, name]));
    const epochs = await this.#parts.saved.liveEpochs();
    for (let after = { at: EARLIEST, id: '' }; ;) {
      const query = changesOfSpanQuery(this.#user, { after, limit: CHANGES_AT_ONCE }, epochs);
      const { rows } = await this.#parts.analytics.askHistory(query, this.#limits);
      const changes = rows as readonly unknown[] as readonly UserChangeRow[];
      const last = changes.at(-1);
      if (last === undefined) return;
      yield joined(changes.map((row) => changeLine(row, names.get(row.audience_id) ?? null)));
      if (changes.length < CHANGES_AT_ONCE) return;
      after = { at: BigInt(last.at), id: last.audience_id };
    }
  }

  async #ask<T>(query: Query): Promise<readonly T[]> {
    return (await this.#parts.analytics.ask(query, this.#limits)).rows as readonly unknown[] as readonly T[];
  }
}

function profileLines(profile: WholeProfile): readonly string[] {
  const body = `${profileBody(profile).slice(0, -1)},"versions":${profile.versions}}`;
  const ids = profile.seenWith.map(({ anonymousId, firstSeen }) =>
    JSON.stringify({
      type: 'anonymous_id',
      anonymous_id: anonymousId,
      first_seen: firstSeen === null ? null : formatMicros(firstSeen),
    }),
  );
  return [typed('profile', body), ...ids];
}

function joined(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
