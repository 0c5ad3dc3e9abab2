import { describe, expect, onTestFinished, test } from 'vitest';
import { assign, encodeAssignment } from '../../../services/event-log/kafka/assignment.ts';
import { KAFKA, KafkaFault, UNREACHABLE } from '../../../services/event-log/kafka/faults.ts';
import { Membership } from '../../../services/event-log/kafka/membership.ts';
import type { Joined, JoinRequest, KafkaWire } from '../../../services/event-log/kafka/wire.ts';
import { until } from '../../support/event-log/event-log.ts';

const partitions = [0, 1].map((partition) => ({ topic: 't', partition }));

/** A coordinator of one group in memory, at the adapter's inner port. */
class Coordinator implements Pick<
  KafkaWire,
  'coordinator' | 'cluster' | 'join' | 'sync' | 'heartbeat' | 'leave' | 'commit'
> {
  readonly calls: string[] = [];
  /** What the next heartbeats come to. */
  readonly faults: number[] = [];
  broker = 1;
  #generation = 0;

  coordinator = (): Promise<number> => Promise.resolve(this.broker);
  cluster: KafkaWire['cluster'] = () => Promise.resolve({ brokers: [1, 2], topics: new Map() });
  commit: KafkaWire['commit'] = () => Promise.resolve();

  async join(_broker: number, { memberId }: JoinRequest): Promise<Joined> {
    this.calls.push(`join as ${memberId === '' ? 'new' : memberId}`);
    const name = memberId === '' ? `m${this.calls.length}` : memberId;
    return { memberId: name, generation: ++this.#generation, leaderId: 'another', members: [] };
  }

  async sync(): Promise<Buffer> {
    return encodeAssignment(assign([{ memberId: 'm', topics: ['t'] }], partitions).get('m')!);
  }

  async heartbeat(broker: number): Promise<void> {
    this.calls.push(`heartbeat to ${broker}`);
    const fault = this.faults.shift();
    if (fault !== undefined) throw new KafkaFault(fault, 'as the test wants');
  }

  async leave(): Promise<void> {
    this.calls.push('leave');
  }
}

function memberOf(coordinator: Coordinator): { readonly events: string[]; readonly membership: Membership } {
  const events: string[] = [];
  const membership = new Membership(
    coordinator as unknown as KafkaWire,
    { group: 'g', topics: ['t'], partitions },
    {
      assigned: (assigned) => events.push(`assigned ${assigned.length}`),
      revoked: () => events.push('revoked'),
      trouble: (fault) => fault === undefined || events.push('trouble'),
    },
  );
  onTestFinished(() => membership.close());
  return { events, membership };
}

describe("a group's member on Kafka", () => {
  test.each([UNREACHABLE, KAFKA.NOT_COORDINATOR, KAFKA.COORDINATOR_LOAD_IN_PROGRESS])(
    'a member keeps its partitions while the coordinator moves (%d)',
    async (fault) => {
      const coordinator = new Coordinator();
      const { events } = memberOf(coordinator);
      await until(() => events.includes('assigned 2'));

      coordinator.broker = 2;
      coordinator.faults.push(fault);

      await until(() => coordinator.calls.includes('heartbeat to 2'));
      expect(events).toEqual(['assigned 2', 'trouble']);
      expect(coordinator.calls.filter((call) => call.startsWith('join'))).toHaveLength(1);
    },
  );

  test.each([KAFKA.REBALANCE_IN_PROGRESS, KAFKA.ILLEGAL_GENERATION])(
    'a member releases all its partitions and joins again under its name when the group changes (%d)',
    async (fault) => {
      const coordinator = new Coordinator();
      coordinator.faults.push(fault);
      const { events } = memberOf(coordinator);

      await until(() => events.length >= 3);

      expect(events).toEqual(['assigned 2', 'revoked', 'assigned 2']);
      expect(coordinator.calls.filter((call) => call.startsWith('join'))).toEqual(['join as new', 'join as m1']);
    },
  );

  test('a member unknown to the coordinator joins as a new one', async () => {
    const coordinator = new Coordinator();
    coordinator.faults.push(KAFKA.UNKNOWN_MEMBER_ID);
    const { events } = memberOf(coordinator);

    await until(() => events.filter((event) => event === 'assigned 2').length === 2);

    expect(events).toContain('revoked');
    expect(coordinator.calls.filter((call) => call === 'join as new')).toHaveLength(2);
  });

  test('a closed member leaves the group', async () => {
    const coordinator = new Coordinator();
    const { events, membership } = memberOf(coordinator);
    await until(() => events.includes('assigned 2'));

    await membership.close();

    expect(coordinator.calls.at(-1)).toBe('leave');
  });

  test('a member without permission gives up', async () => {
    const coordinator = new Coordinator();
    coordinator.faults.push(KAFKA.GROUP_AUTHORIZATION_FAILED);
    const { events } = memberOf(coordinator);

    await until(() => events.includes('trouble'));

    expect(events).toEqual(['assigned 2', 'revoked', 'trouble']);
  });
});
