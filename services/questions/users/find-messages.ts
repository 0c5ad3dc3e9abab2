/** The messages of a project that have an id, as analytics has them: an id is of one message of each user. */
import type { MessageTopic } from '../../messages/message.ts';
import type { QueryBudget } from '../query-budget.ts';

/** A message, and where it stands in the log. Integers are text. */
export interface FoundMessage {
  readonly type: 'track' | 'identify' | 'session';
  /** '' of other types than a track. */
  readonly event: string;
  readonly user_number: string;
  /** '' where it gave none. */
  readonly anonymous_id: string;
  /** Times in microseconds. */
  readonly occurred: string;
  readonly received: string;
  readonly topic: MessageTopic;
  readonly log_partition: number;
  readonly log_offset: string;
  /** JSON text; '' of other types than a track. */
  readonly properties_text: string;
  /** The version of the traits that it sets; '0' of a track. */
  readonly version: string;
}

const MOST_MESSAGES = 10;

const USER_AND_TIME = 'toString(user) AS user_number, toUnixTimestamp64Micro(timestamp) AS occurred';
const TAIL = 'toUnixTimestamp64Micro(received_at) AS received, log_partition, log_offset';
const OF_ID = 'WHERE project_id = {projectId:String} AND message_id = {id:String}';

/**
 * The newest, at most ten. Reads one column of numbers of all events of the project, and the ids of its identifies and
 * sessions. An index would be paid for by every insert.
 *
 * @throws TidemarkError as `AnalyticsReader.ask`.
 */
export function findMessages(budget: QueryBudget, projectId: string, id: string): Promise<readonly FoundMessage[]> {
  const tracks =
    `SELECT 'track' AS type, toString(event) AS event, ${USER_AND_TIME}, ${TAIL}, anonymous_id, properties_text, '0' AS version, ` +
    `if(source = 'import', 'tidemark.import-track', 'tidemark.track') AS topic ` +
    `FROM track_rows FINAL PREWHERE message_number = sipHash64({id:String}) ${OF_ID}`;
  const identifies =
    `SELECT 'identify' AS type, '' AS event, ${USER_AND_TIME}, ${TAIL}, anonymous_id, '' AS properties_text, ` +
    `toString(version) AS version, toString(log_topic) AS topic FROM identify_rows FINAL ${OF_ID}`;
  const sessions =
    `SELECT 'session' AS type, '' AS event, ${USER_AND_TIME}, ${TAIL}, '' AS anonymous_id, '' AS properties_text, ` +
    `toString(version) AS version, 'tidemark.session' AS topic FROM session_rows FINAL ${OF_ID}`;
  return budget.ask<FoundMessage>({
    projectId,
    sql: `SELECT * FROM (${[tracks, identifies, sessions].join(' UNION ALL ')})
          ORDER BY received DESC, user_number LIMIT {limit:UInt64}`,
    params: { projectId, id, limit: String(MOST_MESSAGES) },
  });
}
