import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import '../../../../services/event-log/kafka/kafkajs/connect.ts';

interface RequestQueue {
  readonly throttleCheckTimeoutId: unknown;
  maybeThrottle(ms: number): void;
  push(request: object): void;
  fulfillRequest(answer: object): void;
  destroy(): void;
}

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: object,
) => RequestQueue;

test('a connection of kafkajs checks for delayed requests only while there are some', async () => {
  const logger = { debug: () => undefined, warn: () => undefined };
  const queue = new RequestQueue({
    clientId: 'c',
    broker: 'b',
    requestTimeout: 5_000,
    maxInFlightRequests: null,
    logger,
  });
  const send = (correlationId: number): Promise<void> =>
    new Promise((resolve) =>
      queue.push({ entry: { correlationId, resolve }, expectResponse: false, sendRequest: () => undefined }),
    );

  await send(1);
  queue.fulfillRequest({ correlationId: 1, size: 0, payload: null });
  const whileIdle = queue.throttleCheckTimeoutId;
  queue.maybeThrottle(20);
  await send(2);
  queue.fulfillRequest({ correlationId: 2, size: 0, payload: null });

  expect([whileIdle, queue.throttleCheckTimeoutId]).toEqual([null, null]);
  queue.destroy();
});
