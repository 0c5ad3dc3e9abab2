/** What is measured, in which period, by what: every choice is a parameter of the address. */
import { useState } from 'preact/hooks';
import { operation } from '../../../../schemas/operations.ts';
import type { CatalogMember } from '../../api/types.ts';
import { setParameters } from '../../frame/router.ts';
import { textIn } from '../../parts/form.ts';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { fits, hoursOf, INTERVALS, MEASURES, needsProperty, PERIODS, type Question, splitParts } from './question.ts';

interface FormProps {
  readonly question: Question;
  readonly properties: readonly CatalogMember[];
}

/** Choosing something is a step that Back takes back. */
function choose(changes: Readonly<Record<string, string | undefined>>): void {
  setParameters(changes, { push: true });
}

export function QuestionForm({ question, properties }: FormProps) {
  return (
    <form
      class="filters asked"
      aria-label="What is measured"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <MeasureChoice question={question} properties={properties} />
      <PeriodChoice question={question} />
      <Choice
        label="For each"
        value={question.interval}
        options={Object.entries(INTERVALS).map(([value, text]) => ({
          value,
          text,
          isOff: !fits(value as keyof typeof INTERVALS, hoursOf(question.within, Date.now())),
        }))}
        onChoice={(interval) => choose({ interval })}
      />
      <SplitChoice question={question} properties={properties} />
      <label class="check">
        <input
          type="checkbox"
          checked={question.isCompared}
          onChange={({ currentTarget }) => choose({ compare: currentTarget.checked ? 'previous' : '' })}
        />
        Compare with the period before
      </label>
    </form>
  );
}

interface Option {
  readonly value: string;
  readonly text: string;
  readonly isOff?: boolean;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChoice: (value: string) => void;
}

function Choice({ label, value, options, onChoice }: ChoiceProps) {
  return (
    <label>
      <span class="label">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        {!options.some((option) => option.value === value) && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.isOff === true}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}

function named(names: readonly string[]): readonly Option[] {
  return names.map((name) => ({ value: name, text: name }));
}

const PERCENTILES = ['50', '75', '90', '95', '99'];

function MeasureChoice({ question: { measure, of, p }, properties }: FormProps) {
  const numeric = properties.filter(({ types }) => types.some(({ type }) => type === 'number')).map(({ name }) => name);
  const change = (chosen: string): void => {
    const needs = needsProperty(chosen as keyof typeof MEASURES);
    choose({ measure: chosen, of: needs ? (of ?? numeric[0]) : '', p: chosen === 'percentile' ? p : '' });
  };
  return (
    <>
      <Choice
        label="Measure"
        value={measure}
        options={Object.entries(MEASURES).map(([value, text]) => ({
          value,
          text,
          isOff: needsProperty(value as keyof typeof MEASURES) && numeric.length === 0,
        }))}
        onChoice={change}
      />
      {needsProperty(measure) && (
        <Choice
          label="Property"
          value={of ?? ''}
          options={[...(of === undefined ? [{ value: '', text: 'Choose one' }] : []), ...named(numeric)]}
          onChoice={(name) => choose({ of: name })}
        />
      )}
      {measure === 'percentile' && (
        <Choice
          label="Percentile"
          value={p}
          options={PERCENTILES.map((value) => ({ value, text: value === '50' ? '50 (median)' : value }))}
          onChoice={(value) => choose({ p: value })}
        />
      )}
    </>
  );
}

const CHOSEN_DAYS = 'days';

function PeriodChoice({ question: { within } }: { readonly question: Question }) {
  const { last } = within;
  const [isChoosing, setChoosing] = useState(false);
  const isDays = typeof last !== 'string';
  const change = (chosen: string): void => {
    setChoosing(chosen === CHOSEN_DAYS);
    if (chosen !== CHOSEN_DAYS) choose({ last: chosen, since: '', until: '', interval: '' });
  };
  return (
    <>
      <Choice
        label="Period"
        value={isDays || isChoosing ? CHOSEN_DAYS : last}
        options={[
          ...Object.entries(PERIODS).map(([value, text]) => ({ value, text })),
          { value: CHOSEN_DAYS, text: 'From a day on…' },
        ]}
        onChoice={change}
      />
      {(isDays || isChoosing) && <Days within={within} />}
    </>
  );
}

/** The days are those of the project's time zone; the second is not in the period. */
function Days({ within: { since, between } }: Pick<Question, 'within'>) {
  const [from, to] = Array.isArray(between) ? (between as readonly unknown[]) : [since, undefined];
  const apply = (form: HTMLFormElement | null): void => {
    if (form === null || textIn(form, 'since') === '') return;
    choose({ since: textIn(form, 'since'), until: textIn(form, 'until'), last: '', interval: '' });
  };
  const fieldOf = (name: string, day: unknown) => ({
    name,
    defaultValue: typeof day === 'string' ? day : '',
    onChange: (event: Event & { readonly currentTarget: HTMLInputElement }) => apply(event.currentTarget.form),
  });
  return (
    <>
      <label>
        <span class="label">Since</span>
        <input type="date" {...fieldOf('since', from)} />
      </label>
      <label>
        <span class="label">Before</span>
        <input type="date" {...fieldOf('until', to)} />
      </label>
    </>
  );
}

function SplitChoice({ question: { split, top }, properties }: FormProps) {
  const traits = useAnswer(operation('GET /v1/catalog/traits', { query: { limit: 200 } }));
  const [kind, name] = splitParts(split);
  const ofProperties = properties.map(({ name }) => name);
  const ofTraits = traits.state === 'ready' ? traits.value.traits.map(({ name }) => name) : [];
  const isKnown = name === undefined || (kind === 'trait' ? ofTraits : ofProperties).includes(name);
  return (
    <>
      <label>
        <span class="label">Split by</span>
        <select value={split ?? ''} onChange={({ currentTarget }) => choose({ split: currentTarget.value })}>
          <option value="">Nothing</option>
          {!isKnown && <option value={split}>{name}</option>}
          <Group label="Properties of the event" kind="property" names={ofProperties} />
          <Group label="Traits of the user" kind="trait" names={ofTraits} />
        </select>
      </label>
      {name !== undefined && (
        <Choice
          label="Series"
          value={String(top)}
          options={['3', '5', '8'].map((value) => ({ value, text: `${value} largest` }))}
          onChoice={(value) => choose({ top: value })}
        />
      )}
    </>
  );
}

interface GroupProps {
  readonly label: string;
  readonly kind: 'property' | 'trait';
  readonly names: readonly string[];
}

function Group({ label, kind, names }: GroupProps) {
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={`${kind}:${name}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
