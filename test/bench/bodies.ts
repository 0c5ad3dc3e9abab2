/** What the benchmarks post. */
import { WRITE_KEY } from '../support/service.ts';

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
