/** How many users the definition finds, what that cost, and what a change of a saved audience would do. */
import { Problem as Refusal } from '../../parts/loading/use-load.tsx';
import { count, shareText } from '../../parts/numbers.ts';
import { Button } from '../../parts/form.tsx';
import type { Builder } from './builder.ts';
import type { Counted } from './counting.ts';
import { pointerOf } from './json-edit.ts';
import { isNarrowing, sentenceOf, type TreeNode } from './tree.ts';

export function ResultBar({ builder }: { readonly builder: Builder }) {
  const { counting } = builder;
  const counted = counting.counted.value;
  const refusal = counting.refusal.value;
  const isCounting = counting.isCounting.value;
  const isRefused = refusal !== undefined && !isCounting;
  return (
    <>
      <section class="result" aria-label="How many users">
        <p
          class={`figure ${isCounting || isRefused ? 'stale' : ''}`}
          aria-live="polite"
          title={counted && `Read ${count(counted.rowsRead)} rows in ${count(counted.tookMs)} ms`}
        >
          <Figure counted={counted} total={counting.total.value} />
        </p>
        <p class="quiet small result-note">
          <Note builder={builder} />
        </p>
        {builder.root.value?.kind === 'group' && (
          <Button
            label="Count each condition"
            look="plain"
            aria-pressed={counting.wantsSteps.value}
            onClick={() => counting.showSteps(!counting.wantsSteps.value)}
          />
        )}
      </section>
      {isRefused && refusal.status !== 400 && <Refusal error={refusal} retry={counting.again} />}
    </>
  );
}

function Figure({ counted, total = 0 }: { readonly counted: Counted | undefined; readonly total: number | undefined }) {
  if (counted === undefined) return <b aria-hidden="true">–</b>;
  return (
    <>
      <b>{count(counted.count)}</b> {counted.count === 1 ? 'user' : 'users'}
      {counted.count <= total && (
        <span class="share">
          , {shareText(counted.count, total)} of {count(total)}
        </span>
      )}
    </>
  );
}

/** The first condition of the outermost group after which nobody is left; undefined where somebody is, or it is one alone. */
function emptiedBy({ counting, root }: Builder): TreeNode | undefined {
  const steps = counting.steps.value;
  if (counting.counted.value?.count !== 0 || root.value === undefined || !isNarrowing(root.value)) return undefined;
  return root.value.parts.find(({ at }) => steps.get(pointerOf(at)) === 0);
}

function Note({ builder }: { readonly builder: Builder }) {
  const { counting } = builder;
  const problems = counting.problems.value.length;
  const effect = counting.effect.value;
  if (builder.document === undefined) return <>Add a condition to count users.</>;
  if (counting.isCounting.value) return <>Counting…</>;
  if (problems > 0) {
    const [first] = builder.problemsAt.value.keys();
    return (
      <button
        type="button"
        class="refused"
        onClick={() => (builder.focus.value = first === undefined ? undefined : { at: first, isField: false })}
      >
        {problems === 1 ? 'One problem' : `${problems} problems`} to fix first
      </button>
    );
  }
  const emptied = emptiedBy(builder);
  if (emptied !== undefined) {
    return (
      <>
        Nobody is left after{' '}
        <Button
          label={sentenceOf(emptied, builder.catalog.audiences.value)}
          look="plain tiny"
          onClick={() => builder.focusOn(emptied.at)}
        />
      </>
    );
  }
  if (effect === undefined) return null;
  return (
    <span class="effect">
      <b class="entering">adds {count(effect.entering)}</b>, <b class="leaving">removes {count(effect.leaving)}</b>{' '}
      compared with what is saved.
    </span>
  );
}
