import { expect, test } from 'vitest';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { besideHostile } from './neighbour.ts';

test('a project is refused nothing while another one is hostile', { timeout: 180_000 }, async () => {
  const DATA_DIR = await temporaryFolder();
  const service = await startedService(DATA_DIR);

  const { beside, hostile } = await besideHostile(service, { DATA_DIR }, { aloneSeconds: 2, besideSeconds: 8 });

  expect([beside.track.errors, beside.preview.errors]).toEqual([0, 0]);
  expect(hostile['forged receipt 400']).toBeGreaterThan(0);
  expect(hostile['wide identify 200']).toBeGreaterThan(0);
  expect(hostile['audience 201']).toBeGreaterThan(0);
  expect(hostile['large patterns 400']).toBeGreaterThan(0);
  expect(hostile['dated orders 200']).toBeGreaterThan(0);
  expect(hostile['long text 200']).toBeGreaterThan(0);
});
