import { afterEach, beforeEach } from 'vitest';
import { sharedStore, type TestedAnalytics } from '../stores/analytics-stores.ts';
import { sharedDatabase } from '../stores/database.ts';
import { WebhookReceiver } from './webhook-receiver.ts';
import { WebhookScene } from './webhook-scene.ts';

/** A scene and a receiver for each test of a block. */
export function webhookScenes(tested: TestedAnalytics) {
  const analytics = sharedStore(tested);
  const database = sharedDatabase();
  let scene: WebhookScene;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    scene = await WebhookScene.make(analytics(), database());
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => scene.stop());
  return { analytics, database, scene: () => scene, receiver: () => receiver };
}
