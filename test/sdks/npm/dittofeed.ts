import { DittofeedSdk } from '@dittofeed/sdk-node';
import { type Connect, senderOf } from './sender.ts';

export const connect: Connect = async (url, writeKey) => {
  await DittofeedSdk.init({ writeKey: `Basic ${btoa(`${writeKey}:`)}`, host: url });

  return senderOf(DittofeedSdk, async () => DittofeedSdk.flush());
};
