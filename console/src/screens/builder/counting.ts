/** How many users a definition finds: asked for a moment after the last change, the question before being cancelled. */
import { computed, signal } from '@preact/signals';
import { type ApiError, ask, operation, refusalIn } from '../../api/client.ts';
import { countOf, type Json, jsonText } from '../../api/json.ts';
import type { AudienceMember, AudiencePreview } from '../../api/types.ts';
import { traitsFor } from '../user-columns.ts';
import { pointerOf } from './json-edit.ts';
import { groupKind, groupOf, type Problem, treeOf } from './tree.ts';

const AFTER_MS = 400;
const SAMPLE = 10;
/** Each is a question of its own. */
const MAX_STEPS = 12;

export interface Counted {
  readonly definition: Json;
  readonly count: number;
  readonly users: readonly AudienceMember[];
  readonly tookMs: number;
  readonly rowsRead: number;
  readonly warnings: readonly Problem[];
}

/** The body of a question has the definition as one of its members. */
function inDefinition(pointer: string): string {
  return pointer.replace(/^\/definition/, '');
}

export class Counting {
  /** The audience that is changed. */
  readonly #audience: { readonly id: string; readonly definition: () => Json } | undefined;
  readonly isCounting = signal(false);
  /** The last answer, which stays until there is another. */
  readonly counted = signal<Counted | undefined>(undefined);
  readonly refusal = signal<ApiError | undefined>(undefined);
  /** What a change of a saved audience would do. */
  readonly effect = signal<Readonly<Record<'entering' | 'leaving', number>> | undefined>(undefined);
  /** By the pointer of a condition: how many are left after it. */
  readonly steps = signal<ReadonlyMap<string, number>>(new Map());
  readonly wantsSteps = signal(false);
  /** How many users the project has; undefined until it is known. */
  readonly total = signal<number | undefined>(undefined);
  /** Problems of the definition, each with its path. */
  readonly problems = computed<readonly Problem[]>(() => {
    const refusal = this.refusal.value;
    if (refusal?.status !== 400) return [];
    return refusal.errors.map(({ path, message }) => ({ pointer: inDefinition(path), message }));
  });
  #definition: Json | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = new AbortController();

  constructor(audience?: { readonly id: string; readonly definition: () => Json }) {
    this.#audience = audience;
  }

  /** Counts this definition, unless another is asked for within a moment. */
  ask(definition: Json | undefined): void {
    this.close();
    this.#definition = definition;
    if (definition === undefined) {
      this.#forget();
      return;
    }
    this.isCounting.value = true;
    this.#timer = setTimeout(() => void this.#count(definition), AFTER_MS);
  }

  again = (): void => {
    this.ask(this.#definition);
  };

  showSteps(isWanted: boolean): void {
    this.wantsSteps.value = isWanted;
    const counted = this.counted.peek();
    if (isWanted && counted !== undefined && !this.isCounting.peek()) {
      this.#running = new AbortController();
      void this.#guarded(async (signal) => this.#countSteps(counted, signal));
    }
    if (!isWanted) this.steps.value = new Map();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#running.abort();
  }

  #forget(): void {
    this.isCounting.value = false;
    this.counted.value = undefined;
    this.refusal.value = undefined;
    this.effect.value = undefined;
    this.steps.value = new Map();
  }

  async #count(definition: Json): Promise<void> {
    this.#running = new AbortController();
    await this.#guarded(async (signal) => {
      const preview = await previewOf(definition, SAMPLE, signal);
      this.refusal.value = undefined;
      this.steps.value = new Map();
      const counted = {
        definition,
        count: countOf(preview.count),
        users: preview.sample_users,
        tookMs: countOf(preview.took_ms),
        rowsRead: countOf(preview.rows_read),
        warnings: (preview.warnings ?? []).map((one) => ({ ...one, pointer: inDefinition(one.pointer) })),
      };
      this.counted.value = counted;
      this.isCounting.value = false;
      await this.#compare(definition, signal);
      // Where nobody is found, it is said which condition does it.
      if (this.wantsSteps.peek() || counted.count === 0) await this.#countSteps(counted, signal);
      if (this.total.peek() !== undefined) return;
      const { total } = await ask({ ...operation('POST /v1/users/query', { body: '{"limit":1}' }), signal });
      this.total.value = total === null ? undefined : countOf(total);
    });
  }

  async #guarded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#running;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.refusal.value = refusalIn(error);
      this.effect.value = undefined;
    }
    if (!signal.aborted) this.isCounting.value = false;
  }

  async #compare(definition: Json, signal: AbortSignal): Promise<void> {
    if (this.#audience === undefined || jsonText(definition) === jsonText(this.#audience.definition())) {
      this.effect.value = undefined;
      return;
    }
    const body = JSON.stringify({ audience: this.#audience.id, definition, sample: 0 });
    const compared = await ask({ ...operation('POST /v1/audiences/compare', { body }), signal });
    this.effect.value = { entering: countOf(compared.entering.count), leaving: countOf(compared.leaving.count) };
  }

  /** Counts the outermost group with its first condition alone, with the first two, and so on. */
  async #countSteps({ definition, count }: Counted, signal: AbortSignal): Promise<void> {
    const root = treeOf(definition);
    const steps = new Map<string, number>();
    if (root.kind !== 'group') return;
    for (const [index, { at }] of root.parts.slice(0, MAX_STEPS).entries()) {
      const isLast = index === root.parts.length - 1;
      const parts = root.parts.slice(0, index + 1).map(({ isNegated, value }) => (isNegated ? { not: value } : value));
      const left = isLast ? count : countOf((await previewOf(groupOf(groupKind(root), parts), 0, signal)).count);
      steps.set(pointerOf(at), left);
      this.steps.value = new Map(steps);
    }
  }
}

async function previewOf(definition: Json, sample: number, signal: AbortSignal): Promise<AudiencePreview> {
  const traits = sample > 0 ? { traits: traitsFor(definition).join(',') } : {};
  const body = JSON.stringify({ definition, sample, ...traits });
  return ask({ ...operation('POST /v1/audiences/preview', { body }), signal });
}
