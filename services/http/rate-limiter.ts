import type { Project } from '../stores/projects/project-store.ts';

type Limited = Pick<Project, 'id' | 'rateLimit' | 'rateLimitBytes'>;

interface Bucket {
  tokens: number;
  refilledAtMs: number;
}

/**
 * Token buckets for each project that has a rate limit, in this process alone: one of requests, one of bytes of bodies. Each
 * holds one second's worth (one request at least), and fills evenly.
 */
export class RateLimiter {
  readonly #requests = new Map<string, Bucket>();
  readonly #bytes = new Map<string, Bucket>();

  /** Takes a request's token. 0 lets it through; else the seconds until there is one, and room for bytes. */
  take({ id, rateLimit, rateLimitBytes }: Limited, nowMs: number): number {
    if (rateLimitBytes !== null) {
      const bucket = refilled(this.#bytes, id, rateLimitBytes, rateLimitBytes, nowMs);
      if (bucket.tokens <= 0) return (1 - bucket.tokens) / rateLimitBytes;
    }
    if (rateLimit === null) return 0;
    const bucket = refilled(this.#requests, id, rateLimit, Math.max(1, rateLimit), nowMs);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / rateLimit;
    bucket.tokens -= 1;
    return 0;
  }

  /**
   * Takes the bytes of a body that was let through. One larger than what is left passes whole, and those behind it wait the
   * longer: how large it is, is known only once it is there.
   */
  charge({ id, rateLimitBytes }: Limited, bytes: number, nowMs: number): void {
    if (rateLimitBytes !== null && bytes > 0)
      refilled(this.#bytes, id, rateLimitBytes, rateLimitBytes, nowMs).tokens -= bytes;
  }
}

function refilled(buckets: Map<string, Bucket>, id: string, perSecond: number, most: number, nowMs: number): Bucket {
  let bucket = buckets.get(id);
  if (bucket === undefined) buckets.set(id, (bucket = { tokens: most, refilledAtMs: nowMs }));
  // A request that began earlier may come here later.
  const ms = Math.max(0, nowMs - bucket.refilledAtMs);
  bucket.tokens = Math.min(most, bucket.tokens + (ms * perSecond) / 1_000);
  bucket.refilledAtMs += ms;
  return bucket;
}
