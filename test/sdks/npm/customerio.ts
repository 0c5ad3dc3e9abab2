import { Analytics } from '@customerio/cdp-analytics-node';
import { type Connect, type Sender, senderOf } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const open = (): Sender => {
    const analytics = new Analytics({ writeKey, host: url });

    return senderOf(analytics, () => analytics.closeAndFlush());
  };
  // It cannot flush without closing.
  let sender = open();
  return {
    send: (call) => sender.send(call),
    flush: async () => {
      const closing = sender;
      sender = open();
      await closing.flush();
    },
  };
};
