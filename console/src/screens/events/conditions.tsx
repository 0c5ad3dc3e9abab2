/** Which of the events are meant: conditions on their properties, all of which hold. */
import { useState } from 'preact/hooks';
import type { CatalogMember } from '../../api/types.ts';
import { jsonText } from '../../api/json.ts';
import { setParameters } from '../../frame/router.ts';
import { Choice } from '../../parts/choice.tsx';
import { submitted } from '../../parts/form.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { conditionOf, conditionText, type Operator, OPERATORS, takesValue, typedValue } from './condition-text.ts';
import type { Condition } from './question.ts';

interface ConditionsProps {
  readonly where: readonly Condition[];
  readonly properties: readonly CatalogMember[];
}

export function Conditions({ where, properties }: ConditionsProps) {
  const [isAdding, setAdding] = useState(false);
  const change = (conditions: readonly Condition[]): void => {
    setAdding(false);
    setParameters({ where: conditions.length === 0 ? '' : jsonText(conditions) }, { push: true });
  };
  return (
    <div class="conditions">
      <div class="row">
        {where.map((condition, i) => (
          <span key={i} class="chip">
            {conditionText(condition)}
            <button
              type="button"
              class="plain"
              aria-label={`Remove: ${conditionText(condition)}`}
              onClick={() => change(where.filter((one) => one !== condition))}
            >
              ×
            </button>
          </span>
        ))}
        {!isAdding && (
          <button type="button" class="plain add" onClick={() => setAdding(true)}>
            + Only where…
          </button>
        )}
      </div>
      {isAdding && (
        <Adding
          properties={properties}
          onAdd={(condition) => change([...where, condition])}
          onCancel={() => setAdding(false)}
        />
      )}
    </div>
  );
}

interface AddingProps {
  readonly properties: readonly CatalogMember[];
  readonly onAdd: (condition: Condition) => void;
  readonly onCancel: () => void;
}

function Adding({ properties, onAdd, onCancel }: AddingProps) {
  const [operator, setOperator] = useState<Operator>('is');
  const [name, setName] = useState(properties[0]?.name ?? '');
  const property = properties.find((one) => one.name === name);
  const submit = submitted((textOf) =>
    onAdd(conditionOf(name, operator, typedValue(textOf('value'), property?.types ?? [], operator))),
  );
  return (
    <form class="filters below" aria-label="A condition" onSubmit={submit}>
      <label>
        <span class="label">Property</span>
        <input
          name="property"
          list="property-names"
          required
          maxLength={512}
          value={name}
          autoFocus
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <datalist id="property-names">
          {properties.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
      </label>
      <Choice
        label="Condition"
        value={operator}
        options={OPERATORS}
        onChoice={(chosen) => setOperator(chosen as Operator)}
      />
      {takesValue(operator) && <ValueField examples={property?.examples ?? []} />}
      <FormButtons action="Add" onCancel={onCancel} />
    </form>
  );
}

function ValueField({ examples }: Pick<CatalogMember, 'examples'>) {
  const values = examples.map((example) => example.replaceAll(/^"|"$/g, ''));
  return (
    <label>
      <span class="label">Value</span>
      <input name="value" list="property-values" maxLength={512} placeholder={values[0] ?? ''} />
      <datalist id="property-values">
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </label>
  );
}
