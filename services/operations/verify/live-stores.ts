import type { AnalyticsGenerations } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { SchemaDatabase } from '../../stores/database/schema-database.ts';
import { schemaOf } from '../../stores/generations/generation.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import type { VerifyStores } from './verify.ts';

export interface InstalledStores extends Pick<VerifyStores, 'log' | 'codec'> {
  readonly database: Database;
  readonly analytics: Pick<AnalyticsGenerations, 'ofGeneration'>;
}

/** The stores to verify: those of the live generations of this project, or of all projects. */
export async function storesToVerify(installed: InstalledStores, projectId?: string): Promise<VerifyStores> {
  const { log, codec, database, analytics } = installed;
  const live = new LiveGenerations(database);
  const [profiles, events] = await Promise.all([
    live.numberOf('profiles', projectId),
    live.numberOf('analytics', projectId),
  ]);
  const generations = new SqlGenerations(database);
  const [ofProfiles, ofAnalytics] = await Promise.all([
    generations.find('profiles', profiles),
    generations.find('analytics', events),
  ]);
  return {
    log,
    codec: codec.takingAsOf(ofAnalytics?.asOf ?? []),
    profilesCodec: codec.takingAsOf(ofProfiles?.asOf ?? []),
    profiles: new SchemaDatabase(database, schemaOf('profiles', profiles)),
    plans: new SchemaDatabase(database, schemaOf('analytics', events)),
    analytics: await analytics.ofGeneration(events),
    generations: { projector: profiles, sink: events },
    knownProjects: async () =>
      new Set((await database.query<{ readonly id: string }>('select id from projects')).map(({ id }) => id)),
  };
}
