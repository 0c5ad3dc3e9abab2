import { expect, test } from 'vitest';
import { audienceSchedulerOf } from '../../services/app/audience-parts.ts';
import { readConfig } from '../../services/runtime/config.ts';

const KAFKA = { EVENT_LOG_URL: 'kafka://127.0.0.1:9' };
const POSTGRES = { PROFILES_URL: 'postgres://127.0.0.1:9/x' };
const CLUSTER = { ANALYTICS_URL: 'http://127.0.0.1:9/x?cluster=blue' };

function mayBeLive(settings: Readonly<Record<string, string>>, hasReplicas: boolean): Promise<void> {
  const analytics = { placementOf: async () => ({ shards: 2, hasReplicas }) };
  return audienceSchedulerOf(readConfig(settings), console as never, { analytics } as never).expectLive();
}

test.each([
  ['embedded stores', {}],
  ['servers', { ...KAFKA, ...POSTGRES, ANALYTICS_URL: 'http://127.0.0.1:9/x' }],
  ['shards of ClickHouse', { ...KAFKA, ...POSTGRES, ...CLUSTER }],
  ['shards beside embedded stores', CLUSTER],
])('audiences may be live on %s, though this process follows none', async (_, settings) => {
  await expect(mayBeLive(settings, false)).resolves.toBeUndefined();
});

test.each([{}, { ...KAFKA, ...POSTGRES }])(
  'no audience is live on replicas of ClickHouse, beside %j',
  async (others) => {
    await expect(mayBeLive({ ...others, ...CLUSTER }, true)).rejects.toMatchObject({ code: 'AUDIENCE_NOT_LIVE' });
  },
);
