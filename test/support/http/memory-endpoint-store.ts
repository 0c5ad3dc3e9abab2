import type { Micros } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { WebhookAddresses } from '../../../services/webhooks/addresses.ts';
import {
  type DeliveriesQuery,
  type Delivery,
  type Endpoint,
  type EndpointChanges,
  type EndpointSettings,
  type EndpointStore,
  type EndpointTester,
  type EndpointWithSecret,
  MAX_ENDPOINTS,
  TEST_TYPE,
} from '../../../services/webhooks/endpoint-store.ts';
import { makeSecret } from '../../../services/webhooks/signature.ts';

/** Endpoints in memory, which can be unreachable. Held to the same contract as the real store; nothing is sent. */
export class MemoryEndpointStore implements EndpointStore, EndpointTester {
  readonly endpoints = new Map<string, Endpoint>();
  /** Newest first. */
  readonly kept: Delivery[] = [];
  /** Whether endpoints may be topics. */
  isOnKafka = true;
  readonly addresses = new WebhookAddresses(['127.0.0.0/8']);
  unreachable = false;
  readonly #isAudience: (projectId: string, id: string) => boolean;
  #count = 0;

  constructor(isAudience: (projectId: string, id: string) => boolean) {
    this.#isAudience = isAudience;
  }

  async create(projectId: string | null, settings: EndpointSettings): Promise<EndpointWithSecret> {
    this.#check();
    if (projectId === 'proj_none') throw new TidemarkError('PROJECT_UNKNOWN', projectId);
    if ((await this.list(projectId)).length >= MAX_ENDPOINTS) {
      throw new TidemarkError('ENDPOINT_LIMIT', `This project has ${MAX_ENDPOINTS} endpoints.`);
    }
    this.#checkAudiences(projectId, settings.audiences);
    const id = `end_${String(++this.#count).padStart(20, '0')}`;
    const times = { createdAtMs: this.#count, updatedAtMs: this.#count };
    const state = { disabled: null, oldSecretUntilMs: null, failures: 0, nextAttemptAtMs: null, waitingSinceMs: null };
    const endpoint = { ...settings, id, projectId, ...times, ...state };
    this.endpoints.set(id, endpoint);
    return { endpoint, secret: makeSecret() };
  }

  async list(projectId: string | null): Promise<readonly Endpoint[]> {
    this.#check();
    return [...this.endpoints.values()].filter((one) => one.projectId === projectId).toReversed();
  }

  async find(projectId: string | null, id: string): Promise<Endpoint> {
    this.#check();
    const found = this.endpoints.get(id);
    if (found?.projectId !== projectId) throw new TidemarkError('ENDPOINT_UNKNOWN', id);
    return found;
  }

  async update(projectId: string | null, id: string, { isEnabled, ...settings }: EndpointChanges): Promise<Endpoint> {
    const before = await this.find(projectId, id);
    this.#checkAudiences(projectId, settings.audiences ?? null);
    const disabled = isEnabled === undefined ? before.disabled : isEnabled ? null : ('request' as const);
    const after = { ...before, ...settings, disabled };
    this.endpoints.set(id, after);
    return after;
  }

  async remove(projectId: string | null, id: string): Promise<void> {
    await this.find(projectId, id);
    this.endpoints.delete(id);
  }

  async rotate(projectId: string | null, id: string, keepOldMs: number): Promise<EndpointWithSecret> {
    const before = await this.find(projectId, id);
    const endpoint = { ...before, oldSecretUntilMs: keepOldMs === 0 ? null : Date.now() + keepOldMs };
    this.endpoints.set(id, endpoint);
    return { endpoint, secret: makeSecret() };
  }

  async deliveries(projectId: string | null, id: string, query: DeliveriesQuery): Promise<readonly Delivery[]> {
    await this.find(projectId, id);
    const { limit, state, before } = query;
    return this.kept
      .filter((one) => one.endpointId === id && (state === undefined || one.state === state))
      .filter(({ sequence }) => before === undefined || sequence < before)
      .slice(0, limit);
  }

  async resend(projectId: string | null, id: string, deliveryId: string): Promise<Delivery> {
    await this.find(projectId, id);
    const found = this.kept.find((one) => one.endpointId === id && one.id === deliveryId && one.audienceId !== null);
    if (found === undefined) throw new TidemarkError('DELIVERY_UNKNOWN', deliveryId);
    return { ...found, state: 'waiting' };
  }

  async resendSince(projectId: string | null, id: string, _since: Micros): Promise<Endpoint> {
    return this.find(projectId, id);
  }

  async test(projectId: string | null, id: string): Promise<Delivery> {
    await this.find(projectId, id);
    const lastAttempt = { atMs: 2, status: 200, error: null, tookMs: 1, answer: 'ok' };
    return this.#keep(id, { type: TEST_TYPE, audienceId: null, changes: 0, lastAttempt });
  }

  /** An endpoint of always the same id, as if two changes of an audience had been delivered to it. */
  place(projectId: string, audienceId: string): { readonly endpoint: Endpoint; readonly delivery: Delivery } {
    const id = 'end_placed00000000000000';
    const settings = { url: 'https://example.com/', description: null, audiences: null, traits: null };
    const state = { disabled: null, oldSecretUntilMs: null, failures: 0, nextAttemptAtMs: null, waitingSinceMs: null };
    const sent = { types: ['audience.changed'] as const, initial: 'none' as const, batchSize: 100 };
    const endpoint = { ...settings, ...state, ...sent, id, projectId, createdAtMs: 0, updatedAtMs: 0 };
    this.endpoints.set(id, endpoint);
    const lastAttempt = { atMs: 2, status: 204, error: null, tookMs: 7, answer: '' };
    const delivery = this.#keep(id, { type: 'audience.changed', audienceId, changes: 2, lastAttempt });
    return { endpoint, delivery };
  }

  #keep(endpointId: string, of: Pick<Delivery, 'type' | 'audienceId' | 'changes' | 'lastAttempt'>): Delivery {
    const sequence = BigInt(++this.#count);
    const id = `msg_${String(sequence).padStart(24, '0')}`;
    const delivery = { id, endpointId, state: 'delivered', createdAtMs: 1, attempts: 1, sequence, ...of } as const;
    this.kept.unshift(delivery);
    return delivery;
  }

  #checkAudiences(projectId: string | null, audiences: readonly string[] | null): void {
    const unknown = audiences?.find((id) => projectId === null || !this.#isAudience(projectId, id));
    if (unknown !== undefined) throw new TidemarkError('AUDIENCE_UNKNOWN', unknown);
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  }
}
