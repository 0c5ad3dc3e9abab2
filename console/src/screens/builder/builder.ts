/** The document that is edited, in both panes, with what was there before and what the service says of it. */
import { computed, signal } from '@preact/signals';
import type { Raw, SavedAudience } from '../../api/types.ts';
import type { Json } from '../../api/json.ts';
import { Counting } from './counting.ts';
import { History } from './history.ts';
import { applyEdit, type Edit, isSame, type Path, pointerOf } from './json-edit.ts';
import { formatJson, readJson, type SyntaxProblem } from './json-text.ts';
import { findKnown, type KnownName, knownNames, type Names, type Suggested, suggestedAmong } from './known.ts';
import type { AudienceNames } from './sentences/phrase.ts';
import { type Problem, problemsByNode, type TreeNode, treeOf } from './tree.ts';
import type { Changed } from './tree-edits.ts';
import { ApiError, ask, operation, type Operation } from '../../api/client.ts';
import type { Answer } from '../../../../schemas/operations.ts';

interface Draft {
  /** The definition that the tree shows; undefined where there is none. */
  readonly document: Json | undefined;
  /** What the JSON pane shows: the document, or text that is not JSON (yet). */
  readonly text: string;
  readonly error: SyntaxProblem | undefined;
}

export class Builder {
  readonly catalog = new Catalog();
  readonly counting: Counting;
  readonly draft = signal<Draft>(draftOf(undefined));
  /** The saved audience that is changed; undefined where a new one is made. */
  readonly saved = signal<SavedAudience | undefined>(undefined);
  /** What gets the focus once it is shown: the condition there, or the first field of what is there. */
  readonly focus = signal<{ readonly at: string; readonly isField: boolean } | undefined>(undefined);
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);
  readonly root = computed<TreeNode | undefined>(() => {
    const { document } = this.draft.value;
    return document === undefined ? undefined : treeOf(document);
  });
  /** Problems of the present definition. They are forgotten with the next change. */
  readonly problems = computed<readonly Problem[]>(() =>
    this.counting.isCounting.value ? [] : this.counting.problems.value,
  );
  readonly problemsAt = computed(() => problemsByNode(this.root.value, this.problems.value));
  /** What the definition most likely does not mean, as the service says with the count. */
  readonly warningsAt = computed(() => {
    const { isCounting, refusal, counted } = this.counting;
    const isOfPresent = !isCounting.value && refusal.value === undefined;
    return problemsByNode(this.root.value, isOfPresent ? (counted.value?.warnings ?? []) : []);
  });
  readonly #history: History<Draft>;

  constructor(document: Json | undefined, saved: SavedAudience | undefined) {
    this.saved.value = saved;
    const audience = saved && { id: saved.id, definition: () => this.saved.peek()?.definition ?? null };
    this.counting = new Counting(audience);
    const draft = draftOf(document);
    this.#history = new History(draft);
    this.draft.value = draft;
  }

  get document(): Json | undefined {
    return this.draft.value.document;
  }

  /** The names of the project's audiences by their ids, without the one that is changed: it cannot refer to itself. */
  otherAudiences(): AudienceNames {
    const own = this.saved.value?.id;
    return new Map([...this.catalog.audiences.value].filter(([id]) => id !== own));
  }

  namesFor(suggested: Suggested): readonly KnownName[] {
    return this.catalog.namesFor(suggested);
  }

  /** Whether the service refuses what stands at this place. */
  isRefused(at: Path): boolean {
    const pointer = pointerOf(at);
    return this.problems.value.some((problem) => problem.pointer === pointer);
  }

  /** A change of one place in the tree. Those of one place in short order are undone together. */
  edit(edit: Edit): void {
    const { document } = this.draft.peek();
    this.#change(draftOf(applyEdit(document, edit)), pointerOf(edit.at));
  }

  /** A change of the tree as a whole. */
  change(changed: Changed | undefined): void {
    if (changed === undefined) return;
    this.#change(draftOf(changed.document), undefined);
    if (changed.focus !== undefined) this.focusOn(changed.focus);
  }

  /** @param isField Whether the caret belongs in its first field, with what is suggested there. */
  focusOn(at: Path, isField = false): void {
    this.focus.value = { at: pointerOf(at), isField };
  }

  /** The text of the JSON pane. Where it is no JSON, the tree stays as it was. */
  type(text: string): void {
    const parsed = text.trim() === '' ? ({ ok: true, value: undefined } as const) : readJson(text);
    const { document } = this.draft.peek();
    const draft = parsed.ok
      ? { document: parsed.value, text, error: undefined }
      : { document, text, error: parsed.problem };
    this.#change(draft, 'text');
  }

  /** Another definition in the address: by a link, or by Back. Without one it is what is saved. */
  follow(document: Json | undefined): void {
    const wanted = document ?? this.saved.peek()?.definition;
    // The address comes a moment behind what is typed: the text stays as it was typed.
    if (!isSame(wanted, this.draft.peek().document)) this.#change(draftOf(wanted), undefined);
  }

  /** What somebody else saved meanwhile, in place of what was here. */
  takeSaved(saved: SavedAudience): void {
    this.saved.value = saved;
    this.#change(draftOf(saved.definition), undefined);
  }

  undo = (): void => {
    this.#history.undo();
    this.#show();
  };

  redo = (): void => {
    this.#history.redo();
    this.#show();
  };

  #change(draft: Draft, of: string | undefined): void {
    const { document, text } = this.draft.peek();
    if (isSame(draft.document, document) && draft.text === text) return;
    this.#history.change(draft, of, Date.now());
    this.#show();
  }

  #show(): void {
    this.draft.value = this.#history.present;
    this.canUndo.value = this.#history.canUndo;
    this.canRedo.value = this.#history.canRedo;
  }
}

function draftOf(document: Json | undefined): Draft {
  return { document, text: document === undefined ? '' : formatJson(document), error: undefined };
}

/** The most frequent ones: others can be typed. */
const query = { limit: 1_000 };

interface NamesAnswer {
  readonly events?: Answer<'GET /v1/catalog/events'>['events'];
  readonly traits?: Answer<'GET /v1/catalog/traits'>['traits'];
  readonly properties?: Answer<'GET /v1/catalog/events/{name}/properties'>['properties'];
  readonly next_cursor: string | null;
}

const NONE: Names = { names: [], isWhole: false };

/** The names, types and examples of the project's data, loaded as they are needed. */
class Catalog {
  /** Undefined until they are loaded. */
  readonly events = signal<Names | undefined>(undefined);
  readonly traits = signal<Names | undefined>(undefined);
  /** The newest audiences: their names by their ids. */
  readonly audiences = signal<AudienceNames>(new Map());
  readonly #properties = signal<ReadonlyMap<string, Names>>(new Map());
  readonly #loading = new Map<string, Promise<Names>>();
  readonly #stop = new AbortController();

  load(): void {
    void this.#names(operation('GET /v1/catalog/events', { query })).then((names) => (this.events.value = names));
    void this.#names(operation('GET /v1/catalog/traits', { query })).then((names) => (this.traits.value = names));
    void this.#ask(operation('GET /v1/audiences', { query })).then((page) => {
      this.audiences.value = new Map(page?.audiences.map(({ id, name }) => [id, name]));
    });
  }

  close(): void {
    this.#stop.abort();
  }

  /** Properties of an event that the project has; none for another name. */
  async propertiesOf(event: string): Promise<Names> {
    if (findKnown(this.events.peek()?.names ?? [], [event]) === undefined) return NONE;
    const asked = operation('GET /v1/catalog/events/{name}/properties', { path: { name: event }, query });
    const loading = this.#loading.get(event) ?? this.#names(asked);
    this.#loading.set(event, loading);
    const names = await loading;
    if (!this.#properties.peek().has(event)) {
      this.#properties.value = new Map([...this.#properties.peek(), [event, names]]);
    }
    return names;
  }

  /** The properties of an event as far as they are loaded; asks for them where they are not. */
  knownProperties(event: string): Names | undefined {
    const known = this.#properties.value.get(event);
    if (known === undefined && this.events.value !== undefined) void this.propertiesOf(event);
    return known;
  }

  /** What is known of these. */
  namesFor(suggested: Suggested): readonly KnownName[] {
    if (suggested.of === 'events') return this.events.value?.names ?? [];
    const { event } = suggested;
    return suggestedAmong(
      (event === undefined ? this.traits.value : this.knownProperties(event))?.names ?? [],
      suggested,
    );
  }

  async #names(asked: Operation<NamesAnswer>): Promise<Names> {
    const answer = await this.#ask(asked);
    if (answer === undefined) return NONE;
    const names = answer.events ?? answer.traits ?? answer.properties ?? [];
    return { names: knownNames(names), isWhole: answer.next_cursor === null };
  }

  /** Suggestions are no reason to disturb anybody: where they cannot be had, there are none. */
  async #ask<A>(asked: Operation<A>): Promise<Raw<A> | undefined> {
    try {
      return await ask({ ...asked, signal: this.#stop.signal });
    } catch (error) {
      if (error instanceof ApiError || this.#stop.signal.aborted) return undefined;
      throw error;
    }
  }
}
