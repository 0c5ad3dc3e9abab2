import type { Config } from '../runtime/config.ts';
import { hasShards } from '../runtime/embedded.ts';
import type { NewProjectDefaults } from '../stores/projects/project-store.ts';

/** Ids are joined but on a cluster, where a user and an anonymous id may be on two shards. */
export function newProjectDefaults(config: Config): NewProjectDefaults {
  return { timezone: config.initialTimezone, joinIds: !hasShards(config) };
}
