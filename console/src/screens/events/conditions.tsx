/** Which events or users are meant: conditions on their properties or traits, all of which hold. */
import { useState } from 'preact/hooks';
import { jsonText } from '../../api/json.ts';
import { setParameters } from '../../api/address.ts';
import { Choice } from '../../parts/choice.tsx';
import { Button, Field, FormButtons, submitted } from '../../parts/form.tsx';
import {
  type ConditionMember,
  conditionOf,
  type ConditionOn,
  conditionText,
  type Operator,
  OPERATORS,
  takesValue,
  typedValue,
} from './condition-text.ts';
import type { Condition } from './question.ts';
import './conditions.css';

interface ConditionsProps {
  readonly of: ConditionOn;
  readonly where: readonly Condition[];
  /** Those that are known. */
  readonly members: readonly ConditionMember[];
}

/** They stand in the parameter `where` of the address. */
export function Conditions({ of, where, members }: ConditionsProps) {
  const [isAdding, setAdding] = useState(false);
  const change = (conditions: readonly Condition[]): void => {
    setAdding(false);
    setParameters({ where: conditions.length === 0 ? '' : jsonText(conditions), cursor: '' }, { push: true });
  };
  return (
    <div class="conditions">
      <div class="row">
        {where.map((condition, i) => (
          <span key={i} class="chip">
            {conditionText(condition)}
            <Button
              label="×"
              look="plain"
              aria-label={`Remove: ${conditionText(condition)}`}
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

function Adding({ of, members, onAdd, onCancel }: AddingProps) {
  const [operator, setOperator] = useState<Operator>('is');
  const [name, setName] = useState(members[0]?.name ?? '');
  const member = members.find((one) => one.name === name);
  const examples = (member?.examples ?? []).map((example) => example.replaceAll(/^"|"$/g, ''));
  const submit = submitted((textOf) =>
    onAdd(conditionOf(of, name, operator, typedValue(textOf('value'), member?.types ?? [], operator))),
  );
  return (
    <form class="filters below" aria-label="A condition" onSubmit={submit}>
      <Field
        label={of === 'trait' ? 'Trait' : 'Property'}
        name="member"
        suggestions={members.map((one) => one.name)}
        required
        maxLength={512}
        value={name}
        isFirst
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Choice
        label="Condition"
        value={operator}
        options={OPERATORS}
        onChoice={(chosen) => setOperator(chosen as Operator)}
      />
      {takesValue(operator) && (
        <Field label="Value" name="value" suggestions={examples} maxLength={512} placeholder={examples[0] ?? ''} />
      )}
      <FormButtons action="Add" onCancel={onCancel} />
    </form>
  );
}
