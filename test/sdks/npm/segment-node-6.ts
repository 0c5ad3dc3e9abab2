import Analytics from 'analytics-node';
import { type Connect, senderOf } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const analytics = new Analytics(writeKey, { host: url });

  return senderOf(analytics, async () => {
    // One call sends one batch of 20.
    for (let batch = 0; batch < 3; batch++) await analytics.flush();
  });
};
