import type { LiveAudiences } from '../../questions/live/live-audiences.ts';
import { SqlTouches } from '../../questions/live/sql-touches.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Database } from '../../stores/database/database.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import type { AnalyticsFollower } from '../readers/generation-readers.ts';

/** The follower of what the sinks of this process insert. */
export function insertFollowerOf(
  { eventLogUrl }: Config,
  database: Database,
  live: LiveAudiences,
): { readonly follower: AnalyticsFollower } {
  return { follower: isServer(eventLogUrl) ? notingFollower(database) : followerOf(live) };
}

/** Hands on what the sinks of this process insert, which are all that there are. */
function followerOf(live: LiveAudiences): AnalyticsFollower {
  return (generation) => ({
    wants: () => live.wants(generation),
    inserted: async (users) => {
      if (live.wants(generation)) live.inserted(generation, await users());
    },
  });
}

/** Notes what the sinks of this process insert for the process that follows the audiences. */
function notingFollower(database: Database): AnalyticsFollower {
  const [touches, live] = [new SqlTouches(database), new LiveGenerations(database)];
  return (generation) => {
    let isWanted = false;
    return {
      wants: () => isWanted,
      inserted: async (users) => {
        isWanted = (await touches.areWanted()) && (await live.answering('analytics')).includes(generation);
        if (isWanted) await touches.write(generation, await users());
      },
    };
  };
}
