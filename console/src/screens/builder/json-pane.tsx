/** The definition as JSON, edited as text: coloured, with the lines that are refused marked. */
import { useId, useMemo, useRef } from 'preact/hooks';
import { piecesOf } from '../../parts/json/json-view.tsx';
import { Button } from '../../parts/form.tsx';
import { stored } from '../../api/stored.ts';
import type { Builder } from './builder.ts';
import { pathTo } from './json-edit.ts';
import { lineAt, offsetOf } from './json-text.ts';
import { type Problem, problemText } from './tree.ts';

interface LineProblem {
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

/** Whether people want to see the JSON: this browser remembers it. */
export const jsonChoice = stored('builder-json', 'closed');

export function JsonPane({ builder }: { readonly builder: Builder }) {
  const { text, error } = builder.draft.value;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const problems: readonly LineProblem[] =
    error === undefined
      ? builder.problems.value.map((problem) => placed(text, problem))
      : [{ line: error.line, offset: offsetOfLine(text, error.line), message: error.message }];
  const marked = new Set(problems.map(({ line }) => line));
  const coloured = useMemo(() => piecesOf(text), [text]);
  const lines = text.split('\n');
  return (
    <div class="json-pane">
      <div class="code">
        <ol aria-hidden="true">
          {lines.map((_, index) => (
            <li key={index} class={marked.has(index + 1) ? 'refused' : undefined}>
              {index + 1}
            </li>
          ))}
        </ol>
        <div class="code-text">
          <pre class="json" aria-hidden="true">
            {coloured}
            {'\n'}
          </pre>
          <textarea
            ref={area}
            aria-label="The definition as JSON"
            aria-invalid={problems.length > 0}
            aria-describedby={problems.length > 0 ? id : undefined}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            rows={Math.max(12, lines.length + 1)}
            maxLength={512_000}
            placeholder={'{ "trait": "plan", "is": "pro" }'}
            value={text}
            onInput={({ currentTarget }) => builder.type(currentTarget.value)}
          />
        </div>
      </div>
      {problems.length > 0 && <Refused id={id} isJson={error === undefined} problems={problems} area={area} />}
    </div>
  );
}

interface RefusedProps {
  readonly id: string;
  readonly isJson: boolean;
  readonly problems: readonly LineProblem[];
  readonly area: { readonly current: HTMLTextAreaElement | null };
}

function Refused({ id, isJson, problems, area }: RefusedProps) {
  return (
    <div id={id} class="code-problems" role="status">
      {!isJson && <p>Not valid JSON yet. The conditions show the last valid version.</p>}
      <ul>
        {problems.map(({ line, offset, message }) => (
          <li key={`${offset} ${message}`}>
            <Button label={`Line ${line}`} look="plain" onClick={() => select(area.current, offset)} /> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function placed(text: string, problem: Problem): LineProblem {
  const offset = offsetOf(text, pathTo(undefined, problem.pointer));
  return { line: lineAt(text, offset), offset, message: problemText(problem) };
}

function offsetOfLine(text: string, line: number): number {
  return text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, { length }) => sum + length + 1, 0);
}

function select(area: HTMLTextAreaElement | null, offset: number): void {
  if (area === null) return;
  const end = area.value.indexOf('\n', offset);
  area.focus();
  area.setSelectionRange(offset, end === -1 ? area.value.length : end);
}
