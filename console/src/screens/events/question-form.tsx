/** What is measured, in which period, by what: every choice is a parameter of the address. */
import { useRef } from 'preact/hooks';
import { operation } from '../../../../schemas/operations.ts';
import type { CatalogMember } from '../../api/types.ts';
import { setParameters } from '../../frame/router.ts';
import { closeByEscape } from '../../parts/copy-as.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import {
  daysIn,
  fits,
  hoursOf,
  INTERVALS,
  MEASURES,
  needsProperty,
  PERIODS,
  periodText,
  type Question,
  splitParts,
} from './question.ts';

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

/** Times that count back from now, or days of the project's time zone, of which the second is not in the period. */
function PeriodChoice({ question: { within } }: { readonly question: Question }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [since, until] = daysIn(within);
  const take = (changes: Readonly<Record<string, string>>): void => {
    choose({ last: '', since: '', until: '', interval: '', ...changes });
    if (menu.current !== null) menu.current.open = false;
  };
  const takeDays = (panel: HTMLElement | null): void => {
    const [from = '', to = ''] = [...(panel?.querySelectorAll('input') ?? [])].map(({ value }) => value);
    if (from !== '') take({ since: from, until: to });
  };
  return (
    <div>
      <span class="label">Period</span>
      <details ref={menu} class="menu period" onKeyDown={closeByEscape}>
        <summary class="button" aria-label={`Period: ${periodText(within)}`}>
          {periodText(within)}
        </summary>
        <div class="menu-panel">
          {Object.entries(PERIODS).map(([last, text]) => (
            <button key={last} type="button" aria-pressed={within['last'] === last} onClick={() => take({ last })}>
              {text}
            </button>
          ))}
          <div class="days">
            <label>
              <span class="label">Since</span>
              <input type="date" defaultValue={since} />
            </label>
            <label>
              <span class="label">Before</span>
              <input type="date" defaultValue={until} />
            </label>
            <button type="button" onClick={({ currentTarget }) => takeDays(currentTarget.parentElement)}>
              Show these days
            </button>
          </div>
        </div>
      </details>
    </div>
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
