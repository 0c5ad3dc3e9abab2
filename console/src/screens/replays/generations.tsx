import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { Answer } from '../../api/answer.ts';
import type { Generation } from '../../api/types.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { bytes } from '../../parts/numbers.ts';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/use-change.ts';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { GenerationCard } from './generation-card.tsx';
import { counted, durationText, KINDS } from './words.ts';

/** What is live, what is being read again from the log, and what was live before. */
export function Generations() {
  const { value, error, refresh } = usePoll(
    'generations',
    async (signal) => ask({ ...operation('GET /v1/admin/generations'), signal }),
    ({ generations }) =>
      generations.some(({ state }) => state === 'building' || state === 'dropping') ? 1_500 : 10_000,
  );
  useRowKeys();
  if (value === undefined)
    return error === undefined ? <Loading what="generations" /> : <Problem error={error} retry={refresh} />;
  const present = value.generations.filter(({ state }) => state !== 'dropped');
  return (
    <>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      <div class="section-head">
        <p class="quiet">
          A replay reads the whole log again, beside what is in use, and takes its place only when you say so. It is for
          when the data check under Pipeline shows red, or when a new version asks for one.
        </p>
        <div class="row">
          <CopyAs request={operation('GET /v1/admin/generations')} tidemark={['replay', 'status']} />
        </div>
      </div>
      {(Object.keys(KINDS) as Generation['kind'][]).map((kind) => {
        const ofKind = present.filter((one) => one.kind === kind).toSorted(byAge);
        return (
          <section key={kind} class="kind-of-generations" aria-labelledby={`kind-${kind}`}>
            <div class="section-head">
              <h2 id={`kind-${kind}`}>{KINDS[kind]}</h2>
              {ofKind.every(({ state }) => state !== 'building') && <Build kind={kind} onDone={refresh} />}
            </div>
            {ofKind.map((generation) => (
              <GenerationCard
                key={generation.number.rawJSON}
                generation={generation}
                hasFormer={hasFormer(ofKind)}
                onChange={refresh}
              />
            ))}
          </section>
        );
      })}
    </>
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
      {error !== undefined && (
        <span class="field-error" role="alert">
          {error.message}
        </span>
      )}
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
