import Analytics from '@rudderstack/rudder-sdk-node';
import { type Connect, senderOf } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const analytics = new Analytics(writeKey, { dataPlaneUrl: url });

  return senderOf(analytics, () => analytics.flush());
};
