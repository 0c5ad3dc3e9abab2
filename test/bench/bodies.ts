/** What the benchmarks post. */
import { WRITE_KEY } from '../support/service/service.ts';

export const HEADERS = { 'content-type': 'application/json', api_key: WRITE_KEY };

/** About 200 bytes. */
export const SINGLE = JSON.stringify({
  user_id: 'user-20261121-000042',
  event: 'Order Completed',
  properties: {
    order: 'A-1000042',
    total: 129.9,
    currency: 'EUR',
    items: 3,
    coupon: null,
    channel: 'web',
    first: false,
  },
});

export const BATCH = JSON.stringify({
  batch: Array.from({ length: 100 }, (_, index) => ({
    type: 'track',
    ...(JSON.parse(SINGLE) as object),
    user_id: `user-20261121-${String(index).padStart(6, '0')}`,
  })),
});

/** A kind of request, and over how many connections it comes. */
export interface Shape {
  readonly path: string;
  readonly body: string;
  readonly connections: number;
  readonly events: number;
  readonly title: string;
}

export const SHAPES = {
  single: { path: '/v1/track', body: SINGLE, connections: 64, events: 1, title: 'single track, 64 connections' },
  batch: { path: '/v1/batch', body: BATCH, connections: 16, events: 100, title: 'batch of 100, 16 connections' },
} as const satisfies Record<string, Shape>;
