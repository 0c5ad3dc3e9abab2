import { jitsuAnalytics } from '@jitsu/js';
import type { Call } from '../call.ts';
import type { Connect } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const analytics = jitsuAnalytics({ host: url, writeKey: `key:${writeKey}`, s2s: true });

  const send = async ({ type, ...call }: Call): Promise<unknown> => {
    // It remembers the user, whose ids go into the calls after it.
    await analytics.reset();
    const { userId, anonymousId, context } = call;
    const options = { userId, anonymousId, context } as object;
    const [traits, properties] = [{ ...call.traits }, { ...call.properties }] as Record<string, never>[];
    if (type === 'identify') return analytics.identify(userId, traits, options);
    if (type === 'group') return analytics.group(call.groupId, traits, options);
    if (type === 'page') return analytics.page({ ...properties, category: call.category, name: call.name }, options);
    return analytics.track(call.event ?? '', properties, options);
  };
  // It sends each call by itself, and answers once that is done.
  return { send, flush: () => Promise.resolve() };
};
