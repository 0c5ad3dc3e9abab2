import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import type { Generation, GenerationKind, ReplayJob, ReplayPlan } from '../../api/imports.ts';
import { countOf } from '../../api/json.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { useAction } from '../../parts/use-action.ts';
import { usePolled } from '../../parts/use-polled.ts';
import { useRowKeys } from '../../parts/use-rows.ts';
import { Confirm } from './confirm.tsx';
import { GenerationCard } from './generation-card.tsx';
import { counted, durationText, GENERATIONS_PATH, KINDS, sizeText } from './words.ts';

/** What is live, what is being read again from the log, and what was live before. */
export function Generations() {
  const { value, error, refresh } = usePolled(
    'generations',
    async (signal) => ask<{ readonly generations: readonly Generation[] }>({ path: GENERATIONS_PATH, signal }),
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
          A replay reads the whole log again, beside what is live, and takes its place only when you say so.
        </p>
        <div class="row">
          <CopyAs path={GENERATIONS_PATH} tidemark={['replay', 'status']} />
        </div>
      </div>
      {(Object.keys(KINDS) as GenerationKind[]).map((kind) => {
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

/** Says first what it would take. */
function Build({ kind, onDone }: { readonly kind: GenerationKind; readonly onDone: () => void }) {
  const { isBusy, error, run } = useAction();
  const [plan, setPlan] = useState<ReplayPlan>();
  const body = JSON.stringify({ kind });
  const showPlan = (): void =>
    run(async () =>
      setPlan(await ask<ReplayPlan>({ method: 'POST', path: GENERATIONS_PATH, query: { dry_run: 'true' }, body })),
    );
  const build = (): void =>
    run(async () => ask<ReplayJob>({ method: 'POST', path: GENERATIONS_PATH, body }).then(onDone));
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
        <Confirm
          title={`Replay ${KINDS[kind].toLowerCase()}`}
          verb="Begin"
          onConfirm={build}
          onClose={() => setPlan(undefined)}
        >
          <p>
            It reads {counted(plan.messages)} messages, takes about {durationText(countOf(plan.seconds))}
            {plan.basis === 'assumed' && ' (a guess: none was done here before)'} and about{' '}
            {sizeText(countOf(plan.bytes))} more of the disk. What is live stays as it is.
          </p>
        </Confirm>
      )}
    </>
  );
}
