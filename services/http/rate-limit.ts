import type { Project } from '../stores/projects/project-store.ts';

interface Bucket {
  tokens: number;
  refilledAtMs: number;
}

/**
 * A token bucket for each project that has a rate limit, in this process alone: it holds one second's worth of requests
 * (one at least), and fills evenly.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** Takes a request's token. 0 lets it through; else the seconds until there is one. */
  take({ id, rateLimit }: Pick<Project, 'id' | 'rateLimit'>, nowMs: number): number {
    if (rateLimit === null) return 0;
    const most = Math.max(1, rateLimit);
    const bucket = this.#buckets.get(id) ?? this.#add(id, most, nowMs);
    bucket.tokens = Math.min(most, bucket.tokens + ((nowMs - bucket.refilledAtMs) * rateLimit) / 1_000);
    bucket.refilledAtMs = nowMs;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / rateLimit;
    bucket.tokens -= 1;
    return 0;
  }

  #add(id: string, tokens: number, nowMs: number): Bucket {
    const bucket = { tokens, refilledAtMs: nowMs };
    this.#buckets.set(id, bucket);
    return bucket;
  }
}
