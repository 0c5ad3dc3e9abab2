import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../support/service/service.ts';

const LOOK_EVERY_MS = 500;

/**
 * Resolves once two readers have read all there is.
 *
 * @param readers The pattern of their names in the metrics.
 */
export async function hasRead({ url }: Pick<ServiceProcess, 'url'>, readers: string): Promise<void> {
  const pattern = new RegExp(`^tidemark_reader_lag_messages\\{reader="(?:${readers})"\\} (\\d+)$`, 'gm');
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const lags = [...metrics.matchAll(pattern)];
    if (lags.length === 2 && lags.every(([, lag]) => lag === '0')) return;
    await delay(LOOK_EVERY_MS);
  }
}
