import { describe, expect, test } from 'vitest';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const HOUR = 3_600_000_000n;
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const OPTIONS = { repeatWindowMs: 30 * 86_400_000 };

describe('verify', () => {
  const installation = sharedInstallation('embedded');

  test('verify counts one of the copies of a track for each name and day as a message, and the others as repeats', async () => {
    const maker = new MessageMaker();
    const first = maker.track({ messageId: 'm', timestamp: NOON, receivedAt: NOON });
    const copies = [
      { ...first, timestamp: NOON + 11n * HOUR },
      { ...first, timestamp: NOON - 24n * HOUR },
      { ...first, timestamp: NOON - 25n * HOUR },
      { ...first, event: 'Another' },
    ];
    await installation().append([first, ...copies]);
    await installation().readAll();

    const report = await verify(await storesToVerify(installation()), { projectId: maker.projectId }, OPTIONS);

    expect(report).toMatchObject({ equal: true });
    expect(report.hours).toMatchObject([
      { messages: 3, repeats: 2, postgres: { expected: 5, found: 5 }, clickhouse: { expected: 3, found: 3 } },
    ]);
  });
});
