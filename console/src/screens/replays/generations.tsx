import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { Answer } from '../../api/answer.ts';
import type { Generation } from '../../api/types.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { FieldError, Ready } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { Section } from '../../parts/page.tsx';
import { GenerationCard } from './generation-card.tsx';
import { durationText, KINDS } from './words.ts';

/** What is live, what is being read again from the log, and what was live before. */
export function Generations() {
  const polled = usePoll(operation('GET /v1/admin/generations'), ({ generations }) =>
    generations.some(({ state }) => state === 'building' || state === 'dropping') ? 1_500 : 10_000,
  );
  return (
    <Ready of={polled} what="generations">
      {({ generations }) =>
        (Object.keys(KINDS) as Generation['kind'][]).map((kind) => {
          const ofKind = generations.filter((one) => one.kind === kind && one.state !== 'dropped').toSorted(byAge);
          const isBuilding = ofKind.some(({ state }) => state === 'building');
          return (
            <Section
              key={kind}
              id={`kind-${kind}`}
              title={KINDS[kind]}
              actions={!isBuilding && <Build kind={kind} onDone={polled.retry} />}
            >
              {ofKind.map((generation) => (
                <GenerationCard
                  key={generation.number.rawJSON}
                  generation={generation}
                  hasFormer={hasFormer(ofKind)}
                  onChange={polled.retry}
                />
              ))}
            </Section>
          );
        })
      }
    </Ready>
  );
}

/** Whether there is one to go back to. */
function hasFormer(all: readonly Generation[]): boolean {
  return all.some(({ state }) => state === 'former');
}

function byAge(one: Generation, other: Generation): number {
  return countOf(other.number) - countOf(one.number);
}

type Plan = Extract<Answer<'POST /v1/admin/generations'>, { readonly basis: string }>;

/** Says first what it would take. */
function Build({ kind, onDone }: { readonly kind: Generation['kind']; readonly onDone: () => void }) {
  const { isBusy, error, run } = useChange();
  const [plan, setPlan] = useState<Plan>();
  const showPlan = (): void =>
    run(async () => {
      const answer = await ask(operation('POST /v1/admin/generations', { body: { kind }, query: { dry_run: 'true' } }));
      if ('basis' in answer) setPlan(answer);
    });
  const build = async (): Promise<void> =>
    ask(operation('POST /v1/admin/generations', { body: { kind } })).then(onDone);
  return (
    <>
      <FieldError error={error} />
      <button type="button" disabled={isBusy} onClick={showPlan}>
        Replay {KINDS[kind].toLowerCase()}
      </button>
      {plan !== undefined && (
        <ConfirmName
          title={`Replay ${KINDS[kind].toLowerCase()}?`}
          action="Begin"
          onConfirm={build}
          onClose={() => setPlan(undefined)}
        >
          <p>
            It reads {counted(plan.messages)} messages, takes about {durationText(countOf(plan.seconds))}
            {plan.basis === 'assumed' && ' (a guess: none was done here before)'} and about {bytes(plan.bytes)} more of
            the disk. What is in use stays as it is.
            {countOf(plan.deleted_from_log) > 0 &&
              ` ${counted(plan.deleted_from_log)} records were deleted from the beginning of the log: what is built lacks them.`}
          </p>
        </ConfirmName>
      )}
    </>
  );
}
