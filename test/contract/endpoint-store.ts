import { describe, expect, test } from 'vitest';
import { type EndpointSettings, MAX_ENDPOINTS } from '../../services/webhooks/endpoint-store.ts';
import type { SqlEndpointStore } from '../../services/webhooks/sql-endpoint-store.ts';

export interface EndpointStoreContract {
  /** An empty store; the ids of two projects; of two audiences of the first project and of one of the other. */
  readonly open: () => Promise<{
    readonly store: SqlEndpointStore;
    readonly project: string;
    readonly other: string;
    readonly audiences: readonly [string, string];
    readonly foreign: string;
  }>;
}

const HOUR_MS = 3_600_000;

export const SETTINGS: EndpointSettings = {
  url: 'https://example.com/hooks?key=1',
  format: 'json',
  description: null,
  types: ['audience.changed'],
  audiences: null,
  traits: null,
  initial: 'none',
  batchSize: 100,
};

const FRESH = { disabled: null, failures: 0, nextAttemptAtMs: null, waitingSinceMs: null, oldSecretUntilMs: null };

/** What the store of endpoints must do on any database. */
export function testEndpointStore(name: string, { open }: EndpointStoreContract): void {
  describe(`endpoint store: ${name}`, () => {
    test('the endpoint store reads an endpoint back as it was made, and its secret is never read', async () => {
      const { store, project, audiences } = await open();
      const settings = { ...SETTINGS, description: 'Übung', audiences, traits: 'email', initial: 'members' } as const;

      const { endpoint, secret } = await store.create(project, settings);

      expect(endpoint).toMatchObject({ ...settings, projectId: project, ...FRESH });
      expect(endpoint.id).toMatch(/^end_[a-z0-9]{20}$/u);
      expect(await store.find(project, endpoint.id)).toEqual(endpoint);
      expect(structuredClone(endpoint)).toEqual(endpoint);
      expect(JSON.stringify(await store.list(project))).not.toContain(secret);
    });

    test('the endpoint store lists the endpoints of a project, newest first', async () => {
      const { store, project, other } = await open();
      const first = await store.create(project, SETTINGS);
      const second = await store.create(project, SETTINGS);
      await store.create(other, SETTINGS);

      const ids = (await store.list(project)).map(({ id }) => id);

      expect(ids.toSorted()).toEqual([first.endpoint.id, second.endpoint.id].toSorted());
      expect(await store.list(other)).toHaveLength(1);
    });

    test('the endpoint store refuses an audience that the project does not have', async () => {
      const { store, project, audiences, foreign } = await open();
      const unknown = { code: 'AUDIENCE_UNKNOWN' };
      const { endpoint } = await store.create(project, { ...SETTINGS, audiences: [audiences[0]] });

      await expect(store.create(project, { ...SETTINGS, audiences: [foreign] })).rejects.toMatchObject(unknown);
      await expect(store.update(project, endpoint.id, { audiences: [audiences[1], 'aud_x'] })).rejects.toMatchObject(
        unknown,
      );
      expect(await store.find(project, endpoint.id)).toMatchObject({ audiences: [audiences[0]] });
    });

    test('an endpoint may be made disabled', async () => {
      const { store, project } = await open();

      const { endpoint } = await store.create(project, { ...SETTINGS, isEnabled: false });

      expect(endpoint.disabled).toBe('request');
    });

    test('the endpoint store changes what is named, and nothing else', async () => {
      const { store, project, audiences } = await open();
      const { endpoint } = await store.create(project, { ...SETTINGS, traits: 'email' });
      const { updatedAtMs: _, ...before } = endpoint;

      const disabled = await store.update(project, endpoint.id, { isEnabled: false });
      const changed = await store.update(project, endpoint.id, { url: 'https://b.example/', audiences, traits: null });
      const enabled = await store.update(project, endpoint.id, { isEnabled: true, audiences: null, batchSize: 7 });

      expect(disabled).toMatchObject({ ...before, disabled: 'request' });
      expect(changed).toMatchObject({
        ...before,
        disabled: 'request',
        url: 'https://b.example/',
        audiences,
        traits: null,
      });
      expect(enabled).toMatchObject({ ...before, url: 'https://b.example/', traits: null, batchSize: 7 });
    });

    test('the endpoint store gives another secret, and says until when the old one counts', async () => {
      const { store, project } = await open();
      const { endpoint, secret } = await store.create(project, SETTINGS);

      const kept = await store.rotate(project, endpoint.id, HOUR_MS);
      const dropped = await store.rotate(project, endpoint.id, 0);

      expect(new Set([secret, kept.secret, dropped.secret]).size).toBe(3);
      expect(kept.endpoint.oldSecretUntilMs).toBeGreaterThan(Date.now());
      expect(dropped.endpoint.oldSecretUntilMs).toBeNull();
    });

    test('the endpoint store knows nothing of the endpoints of other projects, or of deleted ones', async () => {
      const { store, project, other } = await open();
      const { endpoint } = await store.create(other, SETTINGS);
      const { endpoint: gone } = await store.create(project, SETTINGS);
      await store.remove(project, gone.id);
      const unknown = { code: 'ENDPOINT_UNKNOWN' };

      for (const id of [endpoint.id, gone.id, 'end_x']) {
        await expect(store.find(project, id)).rejects.toMatchObject(unknown);
        await expect(store.update(project, id, { batchSize: 1 })).rejects.toMatchObject(unknown);
        await expect(store.remove(project, id)).rejects.toMatchObject(unknown);
        await expect(store.rotate(project, id, 0)).rejects.toMatchObject(unknown);
        await expect(store.deliveries(project, id, { limit: 1 })).rejects.toMatchObject(unknown);
        await expect(store.resend(project, id, 'msg_x')).rejects.toMatchObject(unknown);
        await expect(store.resendSince(project, id, 0n)).rejects.toMatchObject(unknown);
      }
      expect(await store.list(project)).toEqual([]);
    });

    test('the endpoint store sends again only what there is', async () => {
      const { store, project } = await open();
      const { endpoint } = await store.create(project, SETTINGS);

      await expect(store.resend(project, endpoint.id, 'msg_x')).rejects.toMatchObject({ code: 'DELIVERY_UNKNOWN' });
      expect(await store.deliveries(project, endpoint.id, { limit: 10 })).toEqual([]);
      expect(await store.resendSince(project, endpoint.id, 0n)).toMatchObject({ id: endpoint.id });
    });

    test('the endpoint store makes no more endpoints than a project may have', async () => {
      const { store, project, other } = await open();
      for (let n = 0; n < MAX_ENDPOINTS; n++) await store.create(project, SETTINGS);

      await expect(store.create(project, SETTINGS)).rejects.toMatchObject({ code: 'ENDPOINT_LIMIT' });
      await expect(store.create('proj_none', SETTINGS)).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
      expect((await store.create(other, SETTINGS)).endpoint.projectId).toBe(other);
    });

    test('the endpoint store keeps the endpoints of the installation apart from those of projects', async () => {
      const { store, project } = await open();
      const types = ['verification.differs'] as const;
      const { endpoint: own } = await store.create(null, { ...SETTINGS, types });
      const { endpoint: foreign } = await store.create(project, SETTINGS);
      const unknown = { code: 'ENDPOINT_UNKNOWN' };

      expect(await store.list(null)).toEqual([own]);
      expect(own).toMatchObject({ projectId: null, types });
      await expect(store.find(null, foreign.id)).rejects.toMatchObject(unknown);
      await expect(store.find(project, own.id)).rejects.toMatchObject(unknown);
      expect(await store.update(null, own.id, { isEnabled: false })).toMatchObject({ disabled: 'request' });
      expect((await store.rotate(null, own.id, HOUR_MS)).endpoint.id).toBe(own.id);
      expect(await store.deliveries(null, own.id, { limit: 1 })).toEqual([]);
      await store.remove(null, own.id);

      expect(await store.list(null)).toEqual([]);
      expect(await store.list(project)).toEqual([foreign]);
    });

    test('the endpoint store makes no more endpoints of the installation than there may be', async () => {
      const { store } = await open();
      for (let n = 0; n < MAX_ENDPOINTS; n++) await store.create(null, SETTINGS);

      await expect(store.create(null, SETTINGS)).rejects.toMatchObject({ code: 'ENDPOINT_LIMIT' });
    });
  });
}
