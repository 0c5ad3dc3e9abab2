/** The tables of analytics whose rows are folded by user, as two generations are compared. */
import { comparedColumns, comparedUserEventColumns } from '../../stores/analytics/columns.ts';

/** A table whose rows of a user are folded together: what is there depends on every message of the user. */
export interface Folded {
  readonly what: string;
  /** For each user: `n` rows, and `h`, a checksum. */
  readonly rows: (table: string) => string;
}

export const FOLDED: readonly Folded[] = [
  {
    // Its rows do not say where in the log they stand.
    what: 'events by user',
    rows: (db) => `SELECT concat(project_id, '\\n', toString(user)) AS key, count() AS n,
                          sum(cityHash64(${comparedUserEventColumns()})) AS h FROM ${db}.user_track_rows FINAL`,
  },
  {
    what: 'traits',
    rows: (db) => `SELECT concat(project_id, '\\n', toString(user)) AS key, count() AS n,
                          sum(cityHash64(${comparedColumns('trait_rows')})) AS h FROM ${db}.trait_rows FINAL`,
  },
  {
    what: 'users',
    rows: (db) => `SELECT concat(project_id, '\\n', toString(user)) AS key, 1 AS n,
                          cityHash64(max(internal_id), max(user_id), max(anonymous_id),
                                     min(toUnixTimestamp64Micro(user_rows.first_seen)), max(toUnixTimestamp64Micro(user_rows.last_seen))) AS h
                   FROM ${db}.user_rows AS user_rows`,
  },
];

/** Left out where one of the generations is from before there were any. */
export const SIGHTINGS: Folded = {
  what: 'sightings',
  rows: (db) => `SELECT concat(project_id, '\\n', toString(user)) AS key, count() AS n,
                        sum(cityHash64(anonymous, anonymous_id, version)) AS h FROM ${db}.sighting_rows FINAL`,
};
