import { expect, vi } from 'vitest';
import type { ServiceProcess } from './service.ts';

// Readers may wait for a processor, or for the partitions of one that was killed.
const PATIENCE = { timeout: 120_000 };

/** Resolves once both readers have passed a receipt. */
export async function readersPassed(service: ServiceProcess, receipt: string | null | undefined): Promise<void> {
  const isPassed = async (): Promise<void> => {
    const progress: unknown = await (await service.request(`/v1/receipts/${receipt}?wait=10`)).json();
    expect(progress).toMatchObject({ projected: true, queryable: true });
  };
  await vi.waitFor(isPassed, PATIENCE);
}

/** Posts this, which is answered 200, and resolves with its receipt once both readers have passed it. */
export async function recordedIn(service: ServiceProcess, path: string, body: object): Promise<string> {
  const response = await service.request(path, body);
  expect(response.status).toBe(200);
  const { receipt } = (await response.json()) as { receipt: string };
  await readersPassed(service, receipt);
  return receipt;
}
