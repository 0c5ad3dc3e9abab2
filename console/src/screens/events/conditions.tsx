/** Which events or users are meant: conditions on their properties or traits, all of which hold. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isObject, type Json, jsonText } from '../../api/json.ts';
import { setParameters } from '../../api/address.ts';
import { Form } from '../../parts/loading/change.tsx';
import { Button } from '../../parts/form.tsx';
import { applyEdit, type Edit } from '../builder/json-edit.ts';
import { type CatalogName, findKnown, type KnownName, knownNames, suggestedAmong, testsOf } from '../builder/known.ts';
import { conditionPieces, memberAdditions } from '../builder/sentences/member-phrase.ts';
import { readOut } from '../builder/sentences/phrase.ts';
import { Additions, Phrases, type SentenceEditor } from '../builder/sentences/piece-view.tsx';
import type { Condition } from './question.ts';
import './conditions.css';

interface ConditionsProps {
  readonly of: 'property' | 'trait';
  readonly where: readonly Condition[];
  /** Those that are known. */
  readonly members: readonly CatalogName[];
}

/** They stand in the parameter `where` of the address. */
export function Conditions({ of, where, members }: ConditionsProps) {
  const [isAdding, setAdding] = useState(false);
  const change = (conditions: readonly Condition[]): void => {
    setAdding(false);
    setParameters({ where: conditions.length === 0 ? '' : jsonText(conditions), cursor: '' }, { push: true });
  };
  const textOf = (condition: Condition): string => readOut(conditionPieces([], condition, of, {}));
  return (
    <div class="conditions">
      <div class="row">
        {where.map((condition, i) => (
          <span key={i} class="chip">
            {textOf(condition)}
            <Button
              label="×"
              look="plain"
              aria-label={`Remove: ${textOf(condition)}`}
              onClick={() => change(where.filter((one) => one !== condition))}
            />
          </span>
        ))}
        {!isAdding && <Button label="+ Only where…" look="plain add" onClick={() => setAdding(true)} />}
      </div>
      {isAdding && (
        <Adding
          of={of}
          members={members}
          onAdd={(condition) => change([...where, condition])}
          onCancel={() => setAdding(false)}
        />
      )}
    </div>
  );
}

interface AddingProps extends Omit<ConditionsProps, 'where'> {
  readonly onAdd: (condition: Condition) => void;
  readonly onCancel: () => void;
}

/** A sentence as the audience builder has them, which takes effect once it is added. */
function Adding({ of, members, onAdd, onCancel }: AddingProps) {
  const known = useMemo(() => knownNames(members), [members]);
  const [draft, setDraft] = useState<Json>(() => conditionOn(of, known[0]));
  const sentence = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => sentence.current?.querySelector('input')?.focus(), []);
  const editor: SentenceEditor = {
    edit: (edit) => setDraft((before) => edited(before, of, edit, known)),
    namesFor: (suggested) => (suggested.of === 'events' ? [] : suggestedAmong(known, suggested)),
    isRefused: () => false,
    otherAudiences: () => new Map(),
  };
  const additions = isObject(draft) ? memberAdditions({ at: [], node: draft, kind: of }) : [];
  return (
    <Form
      label="A condition"
      look="row below"
      action="Add"
      onSend={async () => isObject(draft) && onAdd(draft)}
      onCancel={onCancel}
    >
      <span class="phrase" ref={sentence}>
        <Phrases editor={editor} phrases={[{ name: of, pieces: conditionPieces([], draft, of, {}) }]} />
        <Additions additions={additions} onAdd={({ make }) => editor.edit(make([], []))} />
      </span>
    </Form>
  );
}

/** What a condition on this begins with. */
function conditionOn(of: ConditionsProps['of'], known: KnownName | undefined): Condition {
  return known === undefined ? { [of]: '', is: '' } : { [of]: known.path[0] ?? '', ...testsOf(known) };
}

/** A name that is typed whole is as one that is chosen: what follows is of its type. */
function edited(draft: Json, of: ConditionsProps['of'], edit: Edit, known: readonly KnownName[]): Json {
  const { at, value } = edit;
  const named = at[0] === of && typeof value === 'string' ? findKnown(known, [value]) : undefined;
  return named === undefined ? (applyEdit(draft, edit) ?? draft) : conditionOn(of, named);
}
