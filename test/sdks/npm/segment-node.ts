import { Analytics } from '@segment/analytics-node';
import { type Connect, senderOf } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const analytics = new Analytics({ writeKey, host: url });

  return senderOf(analytics, () => analytics.flush());
};
