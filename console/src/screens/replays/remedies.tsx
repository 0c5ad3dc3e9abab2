/** What makes rows right that would be rejected: each is a button. */
import { countOf } from '../../api/json.ts';
import type { ImportPreview } from '../../api/types.ts';
import { Button } from '../../parts/form.tsx';
import { type Choices, choicesIn, choose, DELIMITERS, formatText, MEMBERS, PRESETS, ROWS } from './choices.ts';
import { address } from '../../api/address.ts';

export function Remedies({ of: { remedies, rows } }: { readonly of: Pick<ImportPreview, 'remedies' | 'rows'> }) {
  const [first] = remedies;
  if (first === undefined) return null;
  const left = countOf(first.rejected);
  return (
    <p class="notice row" role="group" aria-label="What makes it right">
      <span>
        {left === 0 ? 'All of these rows become right by' : `All but ${left} of these ${rows.length} become right by`}
      </span>
      {remedies.map(({ options }) => (
        <Remedy key={JSON.stringify(options)} options={options} />
      ))}
    </p>
  );
}

export function Remedy({ options }: { readonly options: Choices }) {
  const { map } = choicesIn(address.value.query);
  return <Button label={wordsOf(options, map)} onClick={() => choose(options)} />;
}

function wordsOf(options: Choices, before: NonNullable<Choices['map']>): string {
  const { preset, type, map = {}, delimiter, encoding, time_format: format } = options;
  const columns = Object.entries(map).filter(([column, member]) => before[column] !== member);
  const texts = [
    preset && `Exported from ${PRESETS[preset] ?? preset}`,
    type && `Each row is ${ROWS[type]}`,
    ...columns.map(([column, member]) => `“${column}” is the ${(MEMBERS[member ?? ''] ?? member ?? '').toLowerCase()}`),
    delimiter && `Fields are separated by ${DELIMITERS[delimiter] ?? 'a comma'}`,
    encoding && `The text is ${encoding}`,
    format && formatText(format),
  ];
  return texts.filter((text) => typeof text === 'string' && text !== '').join(' · ');
}
