import type { Exchange } from './sdk-proxy.ts';
import type { Scenario } from './scenarios.ts';
import type { Ran } from './sdk-process.ts';

/** What came of a scenario with an SDK. */
export interface Outcome {
  readonly sdk: string;
  readonly scenario: string;
  readonly outcome: 'kept' | 'lost' | 'refused';
  /** From what is right; empty where nothing differs. The same words on every run. */
  readonly difference: string;
  /** An error that the SDK does not handle ended the process that it ran in. */
  readonly endsProcess: boolean;
}

/** What was seen of a scenario. */
export interface Seen {
  readonly ran: Ran;
  readonly exchanges: readonly Exchange[];
  /** What `differencesOf` found in the record. */
  readonly differences: readonly string[];
}

/** @param scenario Its `expected` is what is right. */
export function outcomeOf(sdk: string, scenario: Pick<Scenario, 'name' | 'expected'>, seen: Seen): Outcome {
  const refusal = seen.exchanges.find(({ status }) => status >= 400);
  const row = { sdk, scenario: scenario.name, endsProcess: seen.ran === 'ended' };
  const stuck = seen.ran === 'stuck' ? ['keeps trying'] : [];
  if (scenario.expected === 'refused') {
    const outcome = seen.differences.includes('message') ? 'refused' : 'kept';
    return {
      ...row,
      outcome,
      difference: [...(refusal?.status === 401 ? [] : [textOf(refusal)]), ...stuck].join(', '),
    };
  }
  if (seen.differences.length === 0) return { ...row, outcome: 'kept', difference: stuck.join(', ') };
  if (refusal !== undefined) return { ...row, outcome: 'refused', difference: [textOf(refusal), ...stuck].join(', ') };
  const lost = seen.differences.map((difference) => `loses ${difference}`);
  return { ...row, outcome: 'lost', difference: [...lost, ...stuck].join(', ') };
}

function textOf(refusal: Exchange | undefined): string {
  return refusal === undefined ? 'no answer' : `${refusal.status} at \`${refusal.path}\``;
}
