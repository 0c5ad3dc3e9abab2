import { useState } from 'preact/hooks';
import type { ImportPreview } from '../../api/types.ts';
import { Select } from '../../parts/choice.tsx';
import { counted } from '../../parts/numbers.ts';
import { memberOf, saying } from '../../parts/loading/problems.ts';

interface PreviewTableProps {
  readonly preview: ImportPreview;
  /** Columns that are read as something else than their names say. */
  readonly map: Readonly<Record<string, string>>;
  readonly onMap: (map: Readonly<Record<string, string>>) => void;
}

/** Members of a message that a column may fill, in words. */
export const MEMBERS: Readonly<Record<string, string>> = {
  user_id: 'User id',
  event: 'Event name',
  timestamp: 'Time',
  message_id: 'Message id',
  type: 'Type',
  anonymousId: 'Anonymous id',
};

/** The first twenty rows. A column of CSV shows what it is read as, and can be set to something else. */
export function PreviewTable({ preview, map, onMap }: PreviewTableProps) {
  const { columns, rows, format } = preview;
  const wrong = rows.filter(({ problems }) => problems.length > 0).length;
  return (
    <section aria-labelledby="rows-title">
      <div class="section-head">
        <h2 id="rows-title">{rows.length === 0 ? 'The file has no rows' : 'The first rows'}</h2>
        <span class={wrong > 0 ? 'some' : 'quiet'}>
          {wrong > 0
            ? `${wrong} of these ${rows.length} would be rejected`
            : rows.length > 0 && 'All of these are valid'}
        </span>
      </div>
      <div class="preview" tabIndex={0} role="region" aria-label="Rows of the file">
        <table>
          {format === 'csv' && <ColumnHeads columns={columns} map={map} onMap={onMap} />}
          <tbody>
            {rows.map((row) => (
              <PreviewRow key={row.line.rawJSON} row={row} columns={columns.map(({ name }) => name)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface RowProps {
  readonly row: ImportPreview['rows'][number];
  readonly columns: readonly string[];
}

/** What is wrong with a value stands in its cell, what is wrong with the row at its line. */
function PreviewRow({ row: { line, cells, problems }, columns }: RowProps) {
  const ofColumn = (name: string | undefined) =>
    problems.filter(({ column }) => (column !== undefined && columns.includes(column) ? column : undefined) === name);
  return (
    <tr class={problems.length > 0 ? 'wrong' : ''} data-row tabIndex={-1}>
      <th scope="row">
        {counted(line)}
        <Problems of={ofColumn(undefined)} hasPath />
      </th>
      {cells.map((cell, index) => {
        const wrong = columns[index] === undefined ? [] : ofColumn(columns[index]);
        return (
          <td key={index} class={wrong.length > 0 ? 'wrong-cell' : ''}>
            <span class="cell">{cell}</span>
            <Problems of={wrong} />
          </td>
        );
      })}
    </tr>
  );
}

interface ProblemsProps {
  readonly of: ImportPreview['rows'][number]['problems'];
  /** Whether it is said what each is about: no column says it. */
  readonly hasPath?: boolean;
}

function Problems({ of: problems, hasPath = false }: ProblemsProps) {
  return (
    <>
      {problems.map(({ path, message }) => (
        <span key={path + message} class="field-error">
          {hasPath && path !== '' && <code>{memberOf(path)} </code>}
          {saying(message)}
        </span>
      ))}
    </>
  );
}

type ColumnHeadsProps = Pick<PreviewTableProps, 'map' | 'onMap'> & Pick<ImportPreview, 'columns'>;

function ColumnHeads({ columns, map, onMap }: ColumnHeadsProps) {
  return (
    <thead>
      <tr>
        <th scope="col">Line</th>
        {columns.map(({ name, fills, free }) => (
          <th key={name} scope="col">
            <span class="column-name">{name}</span>
            <ColumnMeaning
              name={name}
              fills={fills}
              isFree={free}
              onChange={(target) => onMap(changed(map, name, target))}
            />
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface MeaningProps {
  readonly name: string;
  readonly fills: string;
  readonly isFree: boolean;
  readonly onChange: (target: string) => void;
}

const OTHER = '…';

function ColumnMeaning({ name, fills, isFree, onChange }: MeaningProps) {
  const [isNaming, setNaming] = useState(false);
  const own = isFree || !(fills in MEMBERS) ? fills : name;
  const label = `What the column ${name} is`;
  if (isNaming) {
    return (
      <input
        aria-label={`Name of the trait or property in ${name}`}
        defaultValue={own}
        ref={(input) => input?.focus()}
        onBlur={() => setNaming(false)}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    );
  }
  const choose = (value: string): void => (value === OTHER ? setNaming(true) : onChange(value));
  const names = [...new Set([own, name])].filter((one) => !(one in MEMBERS));
  const options = [
    ...Object.entries(MEMBERS),
    ...names.map((one) => [one, `As “${one}”`] as const),
    [OTHER, 'Another name…'] as const,
  ];
  return <Select label={label} value={fills} options={options} onChoice={choose} />;
}

/** A column that is what its name says needs no mapping. */
function changed(map: PreviewTableProps['map'], name: string, target: string): PreviewTableProps['map'] {
  const rest = Object.fromEntries(Object.entries(map).filter(([column]) => column !== name));
  return target === name || target === '' ? rest : { ...rest, [name]: target };
}
