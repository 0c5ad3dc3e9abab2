import type { Admin, ITopicConfig } from 'kafkajs';
import { until } from './event-log.ts';

/** A broker may not know a topic yet that it has made: kafkajs fails then where it waits for leaders by itself. */
export async function createTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  const names = topics.map(({ topic }) => topic);
  await admin.createTopics({ topics, waitForLeaders: false });
  await until(() =>
    admin.fetchTopicMetadata({ topics: names }).then(
      () => true,
      () => false,
    ),
  );
}
