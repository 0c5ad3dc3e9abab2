import { randomBytes, randomInt } from 'node:crypto';

/** A project id that no other test uses, so that tests can share a store. */
export function randomProjectId(): string {
  return `proj_${randomBytes(10).toString('hex')}`;
}

/** A topic that no other test uses: positions are a row per topic and partition. */
export function randomTopic(): string {
  return `tidemark.test-${randomBytes(6).toString('hex')}`;
}

/** An internal user id. */
export function randomUserKey(): string {
  return randomBytes(32).toString('hex');
}

/** The identity of a record. */
export function randomIdentity(): string {
  return randomInt(2 ** 47)
    .toString(16)
    .padStart(32, '0');
}
