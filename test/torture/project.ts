import { hash } from 'node:crypto';

/** A project to send to. */
export interface TestedProject {
  readonly id: string;
  readonly timezone: string;
  readonly writeKey: string;
  readonly readKey: string;
}

/** Somebody whom one lane alone sends messages of, one request after another: so their order is known. */
export interface TestedUser {
  readonly projectId: string;
  /** One of the two. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly userKey: string;
}

const ODD_IDS = [
  'ada',
  'Zoë/😀',
  'a b%2F?&#',
  'o\'neil "x"',
  '__proto__',
  'مرحبا',
  '\u200b',
  '0',
  'NULL',
  'x'.repeat(400),
];

/** Every user has an anonymous namesake. */
export function usersOf({ id }: TestedProject, lane: number, count: number): readonly TestedUser[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${ODD_IDS[index % ODD_IDS.length]} ${lane}.${Math.floor(index / 2)}`;
    const isAnonymous = index % 10 === 9;
    return {
      projectId: id,
      userId: isAnonymous ? null : name,
      anonymousId: isAnonymous ? name : null,
      userKey: userKeyOf(isAnonymous ? 'anonymous' : 'user', id, name),
    };
  });
}

/** As the schema of the messages says it: a SHA-256 of the parts, each behind its length in bytes. */
function userKeyOf(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex');
}
