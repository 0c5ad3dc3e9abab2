import { expect } from 'vitest';
import type { ServiceProcess } from './service.ts';

// Readers may wait for a processor, or for the partitions of one that was killed.
const PATIENCE = { timeout: 120_000 };

/** Resolves once both readers have passed a receipt. */
export async function readersPassed(service: ServiceProcess, receipt: string | null | undefined): Promise<void> {
  const progress = async (): Promise<unknown> => (await service.request(`/v1/receipts/${receipt}?wait=10`)).json();
  await expect.poll(progress, PATIENCE).toMatchObject({ projected: true, queryable: true });
}
