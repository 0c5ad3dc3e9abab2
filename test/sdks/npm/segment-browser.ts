import './browser-globals.ts';
import { AnalyticsBrowser } from '@segment/analytics-next';
import type { Call } from '../call.ts';
import type { Connect } from './sender.ts';

export const connect: Connect = (url, writeKey) => {
  const { protocol, host } = new URL(url);
  const analytics = AnalyticsBrowser.load({
    writeKey,
    cdnSettings: {
      integrations: { 'Segment.io': { apiKey: writeKey, apiHost: `${host}/v1`, protocol: protocol.slice(0, -1) } },
      // Segment would get counts of calls and errors.
      metrics: { sampleRate: 0 },
    },
  });

  const send = async ({ type, ...call }: Call): Promise<unknown> => {
    // A browser has one user, whose ids and traits it remembers; here each call has another one.
    await analytics.reset();
    const user = await analytics.user();
    user.id(call.userId ?? null);
    if (call.anonymousId !== undefined) user.anonymousId(call.anonymousId);
    const options = { timestamp: new Date(call.timestamp), ...(call.context && { context: call.context as object }) };
    const properties = { ...call.properties };
    if (type === 'identify') return analytics.identify(call.userId, { ...call.traits }, options);
    if (type === 'group') return analytics.group(call.groupId, { ...call.traits }, options);
    if (type === 'alias') return analytics.alias(call.userId ?? '', call.previousId ?? '', options);
    if (type === 'track') return analytics.track(call.event ?? '', properties, options);
    return analytics[type](call.category ?? '', call.name ?? '', properties, options);
  };
  // It sends each call by itself, and answers once that is done.
  return { send, flush: () => Promise.resolve() };
};
