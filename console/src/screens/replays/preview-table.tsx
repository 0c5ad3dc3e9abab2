import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countOf } from '../../api/json.ts';
import type { ImportPreview } from '../../api/types.ts';
import { Select } from '../../parts/choice.tsx';
import { counted, plural } from '../../parts/numbers.ts';
import { memberOf, saying } from '../../parts/loading/problems.ts';
import { type Choices, choicesIn, choose, DELIMITERS, formatText, MEMBERS, PRESETS, ROWS } from './choices.ts';
import { address } from '../../api/address.ts';
import { Section } from '../../parts/page.tsx';
import { Button } from '../../parts/form.tsx';

interface PreviewTableProps {
  readonly preview: ImportPreview;
}

/** The first twenty rows. A column of CSV shows what it is read as, and can be set to something else. */
export function PreviewTable({ preview }: PreviewTableProps) {
  const { columns, rows, format, remedies } = preview;
  const wrong = rows.filter(({ problems }) => problems.length > 0).length;
  const formats = remedies.filter(({ options }) => 'time_format' in options);
  const undated = rows.find(({ problems }) => problems.some(isOfTime));
  return (
    <Section
      id="rows-title"
      title={rows.length === 0 ? 'The file has no rows' : 'The first rows'}
      actions={
        <span class={wrong > 0 ? 'some' : 'quiet'}>
          {wrong > 0
            ? `${wrong} of these ${rows.length} would be rejected`
            : rows.length > 0 && 'All of these are valid'}
        </span>
      }
    >
      <div class="preview" tabIndex={0} role="region" aria-label="Rows of the file">
        <table>
          {format === 'csv' && <ColumnHeads preview={preview} />}
          <tbody>
            {rows.map((row) => (
              <PreviewRow key={row.line.rawJSON} row={row} columns={columns.map(({ name }) => name)}>
                {row === undated &&
                  formats.map(({ options }) => <Remedy key={options.time_format} options={options} />)}
              </PreviewRow>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

interface RowProps {
  readonly row: ImportPreview['rows'][number];
  readonly columns: readonly string[];
  /** Choices of how its time is written. */
  readonly children: ComponentChildren;
}

/** What is wrong with a value stands in its cell, what is wrong with the row at its line. */
function PreviewRow({ row: { line, cells, problems }, columns, children }: RowProps) {
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
            {wrong.some(isOfTime) && children}
          </td>
        );
      })}
    </tr>
  );
}

type ImportProblem = ImportPreview['rows'][number]['problems'][number];

function isOfTime({ path }: ImportProblem): boolean {
  return path === '/timestamp';
}

interface ProblemsProps {
  readonly of: readonly ImportProblem[];
  /** Whether it is said what each is about: no column says it. */
  readonly hasPath?: boolean;
}

function Problems({ of: problems, hasPath = false }: ProblemsProps) {
  return (
    <>
      {problems.map(({ path, message }) => (
        <span key={path + message} class="field-error">
          {hasPath && path !== '' && (MEMBERS[path.slice(1)] ?? memberOf(path))}{' '}
          {message.startsWith('may be day before') ? 'Is the day first, or the month?' : saying(message)}
        </span>
      ))}
    </>
  );
}

function ColumnHeads({ preview }: PreviewTableProps) {
  const choices = choicesIn(address.value.query);
  return (
    <thead>
      <tr>
        <th scope="col">Line</th>
        {preview.columns.map(({ name, fills, free }) => (
          <th key={name} scope="col">
            <span class="column-name">{name}</span>
            <ColumnMeaning
              name={name}
              fills={fills}
              isFree={free}
              onChange={(target) => choose({ map: changed(choices.map, name, target) })}
            />
            {fills === 'timestamp' ? (
              <TimeForm name={name} formats={preview.guess.time_formats} format={choices.time_format} />
            ) : (
              !(fills in MEMBERS) && (
                <ColumnType of={preview.guess.columns.find((one) => one.name === name)} choices={choices} />
              )
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface TimeFormProps {
  readonly name: string;
  readonly formats: readonly string[];
  readonly format: string | null;
}

/** Chosen where nobody else can say which it is. */
function TimeForm({ name, formats, format }: TimeFormProps) {
  if (formats.length < 2) return null;
  const open = format === null ? [['', 'Day or month first?'] as const] : [];
  return (
    <Select
      label={`How times are written in ${name}`}
      value={format ?? ''}
      options={[...open, ...formats.map((one) => [one, formatText(one)] as const)]}
      onChoice={(chosen) => choose({ time_format: chosen })}
    />
  );
}

type GuessedColumn = ImportPreview['guess']['columns'][number];

interface ColumnTypeProps {
  readonly of: GuessedColumn | undefined;
  readonly choices: ReturnType<typeof choicesIn>;
}

const TYPES = { number: 'Numbers', boolean: 'True or false', date: 'Date', text: 'Text' };

/** What the cells are read as: chosen where there is a choice. */
function ColumnType({ of: column, choices }: ColumnTypeProps) {
  if (column === undefined) return null;
  const { name, type, others, other } = column;
  const { types, text_columns: texts } = choices;
  if (!types || type === 'date' || type === 'text') return <span class="quiet small">{TYPES[type]}</span>;
  const rest = texts.filter((one) => one !== name);
  const isText = texts.includes(name);
  return (
    <>
      <Select
        label={`What the cells of ${name} are`}
        value={isText ? 'text' : type}
        options={[
          [type, TYPES[type]],
          ['text', TYPES.text],
        ]}
        onChoice={(chosen) => choose({ text_columns: chosen === 'text' ? [...rest, name] : rest })}
      />
      {!isText && other !== null && (
        <span class="some small">
          {plural(countOf(others), 'cell stays', 'cells stay')} text, as “{other}”
        </span>
      )}
    </>
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

type ColumnMap = NonNullable<Choices['map']>;

/** A column that is what its name says needs no mapping. */
function changed(map: ColumnMap, name: string, target: string): ColumnMap {
  const rest = Object.fromEntries(Object.entries(map).filter(([column]) => column !== name));
  return target === name || target === '' ? rest : { ...rest, [name]: target };
}

/** What makes rows right that would be rejected: each is a button. */
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

function Remedy({ options }: { readonly options: Choices }) {
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
