import { AssignerProtocol } from 'kafkajs';
import { describe, expect, test } from 'vitest';
import {
  assign,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../services/event-log/kafka/assignment.ts';

const partitions = ['a', 'b'].flatMap((topic) => [0, 1, 2].map((partition) => ({ topic, partition })));

describe("a group's shares", () => {
  test('assignments are even, and every partition is assigned once', () => {
    const members = ['m2', 'm1', 'm3', 'm4'].map((memberId) => ({ memberId, topics: ['a', 'b'] }));

    const shares = [...assign(members, partitions).values()];

    expect(shares.map((share) => share.length).toSorted((one, other) => one - other)).toEqual([1, 1, 2, 2]);
    expect(shares.flat()).toHaveLength(partitions.length);
    expect(new Set(shares.flat())).toEqual(new Set(partitions));
  });

  test('assignments do not depend on the order of the members', () => {
    const members = ['m2', 'm1', 'm3'].map((memberId) => ({ memberId, topics: ['a', 'b'] }));

    expect(new Map(assign(members, partitions))).toEqual(new Map(assign(members.toReversed(), partitions)));
  });

  test('a member is assigned only topics that it reads', () => {
    const shares = assign(
      [
        { memberId: 'both', topics: ['a', 'b'] },
        { memberId: 'one', topics: ['b'] },
      ],
      partitions,
    );

    expect(shares.get('one')!.every(({ topic }) => topic === 'b')).toBe(true);
    expect(shares.get('both')!.filter(({ topic }) => topic === 'a')).toHaveLength(3);
  });

  test('a topic that no member subscribes to is not assigned', () => {
    expect([...assign([{ memberId: 'm', topics: ['c'] }], partitions).values()]).toEqual([[]]);
  });

  test('assignments are encoded as other Kafka clients read them', () => {
    const { MemberAssignment, MemberMetadata } = AssignerProtocol;

    expect(MemberMetadata.decode(encodeSubscription(['a', 'ü']))).toMatchObject({ version: 0, topics: ['a', 'ü'] });
    expect(MemberAssignment.decode(encodeAssignment(partitions))).toMatchObject({
      version: 0,
      assignment: { a: [0, 1, 2], b: [0, 1, 2] },
    });
  });

  test('assignments are decoded as other Kafka clients write them', () => {
    const userData = Buffer.from('more');
    const { MemberAssignment, MemberMetadata } = AssignerProtocol;

    expect(decodeSubscription(MemberMetadata.encode({ version: 1, topics: ['a', 'b'], userData }))).toEqual(['a', 'b']);
    expect(decodeAssignment(MemberAssignment.encode({ version: 0, assignment: { a: [2, 0] }, userData }))).toEqual([
      { topic: 'a', partition: 2 },
      { topic: 'a', partition: 0 },
    ]);
    expect(decodeAssignment(Buffer.alloc(0))).toEqual([]);
  });
});
