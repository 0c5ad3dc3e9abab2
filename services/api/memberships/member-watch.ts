/** Look-ups of membership, shared by all who ask at once: thousands of requests a second take some statements. */
import { membersAmong, memberKey } from '../../questions/live/members-among.ts';
import { ownersAmong } from '../../questions/one-user/person.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { SharedPoll, type WaitOptions } from '../shared-poll.ts';

/** A user, and audiences of the same project. */
export interface UserInAudiences {
  readonly project: Pick<Project, 'id' | 'joinIds'>;
  /** The internal id. */
  readonly userKey: string;
  /** Whether it may be that of an anonymous id. */
  readonly mayBeJoined: boolean;
  readonly audiences: readonly SavedAudience[];
}

/** The audiences in which the user is, by id; or why that is not known. */
type AudienceIds = PromiseSettledResult<ReadonlySet<string>>;
type IdsOf = (one: UserInAudiences) => ReadonlySet<string>;
type LookUpParts = Pick<AnalyticsReader, 'ask' | 'askHistory'>;

const LOOK_UP_LIMITS: QueryLimits = { maxMs: 5_000, maxMemoryBytes: 2 ** 28, maxRowsRead: 2 ** 26 };
const NOBODYS: ReadonlyMap<string, string> = new Map();
const IN_NONE: AudienceIds = { status: 'fulfilled', value: new Set() };

/**
 * By the history of audiences, as what follows live ones, or the last evaluation, left it. A request that comes while a
 * statement runs shares the next one. A project whose statement fails keeps no other from its answer.
 */
export class MemberWatch extends SharedPoll<
  UserInAudiences,
  ReadonlyMap<string, PromiseSettledResult<IdsOf> | undefined>,
  AudienceIds
> {
  constructor(analytics: LookUpParts) {
    super({
      // It gathers the many, and the few do not notice it.
      intervalMs: 2,
      look: async (wanted) => {
        const groups = [...Map.groupBy(wanted, ({ project }) => project.id)];
        const found = await Promise.allSettled(groups.map(([projectId, all]) => lookUpAll(analytics, projectId, all)));
        return new Map(groups.map(([projectId], at) => [projectId, found[at]]));
      },
      answerTo: (one, look) => {
        const found = look.get(one.project.id);
        if (found === undefined) return IN_NONE;
        return found.status === 'rejected' ? found : { status: 'fulfilled', value: found.value(one) };
      },
      isFinal: () => true,
      known: undefined,
      nothing: IN_NONE,
    });
  }

  /** The audiences in which the user is, by id. @throws TidemarkError as `AnalyticsReader.ask`. */
  async find(wanted: UserInAudiences, client: WaitOptions['client']): Promise<ReadonlySet<string>> {
    const found = await this.wait(wanted, { waitMs: 0, client });
    if (found.status === 'rejected') throw found.reason;
    return found.value;
  }
}

/** @param all Users and audiences of this project. @throws TidemarkError as `AnalyticsReader.ask`. */
async function lookUpAll(analytics: LookUpParts, projectId: string, all: readonly UserInAudiences[]): Promise<IdsOf> {
  const quickly = (query: Query): Query => ({ ...query, isLookUp: true });
  const ask = async (query: Query) => (await analytics.ask(quickly(query), LOOK_UP_LIMITS)).rows;
  const askHistory = async (query: Query) => (await analytics.askHistory(quickly(query), LOOK_UP_LIMITS)).rows;
  const users = [...new Set(all.map(({ userKey }) => userNumber(userKey)))];
  const audiences = new Map(all.flatMap((one) => one.audiences.map((audience) => [audience.id, audience])));
  const among = (people: readonly string[]) => membersAmong(askHistory, projectId, [...audiences.values()], people);
  const joinable = all.filter(({ project, mayBeJoined }) => project.joinIds && mayBeJoined);
  const ids = [...new Set(joinable.map(({ userKey }) => userNumber(userKey)))];
  // Few ids are somebody else's: what they are in is asked beside whose they are.
  const [members, owners] = await Promise.all([
    among(users),
    ids.length === 0 ? NOBODYS : ownersAmong({ ask }, projectId, ids),
  ]);
  const ofOwners = owners.size === 0 ? members : await among([...new Set(owners.values())]);
  return ({ userKey, audiences: wanted }) => {
    const number = userNumber(userKey);
    const owner = owners.get(number);
    const found = owner === undefined ? members : ofOwners;
    return new Set(wanted.flatMap(({ id }) => (found.has(memberKey(id, owner ?? number)) ? id : [])));
  };
}
