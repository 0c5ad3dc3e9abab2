import { type Json, jsonText } from '../api/json.ts';
import { lineDiff } from './line-diff.ts';
import './json-diff.css';

const SIGNS = { same: ' ', removed: '−', added: '+' };
const SAID = { same: '', removed: 'Removed: ', added: 'Added: ' };

/** Two JSON values as one text, indented, with what was removed and added marked. Null is a value that is not there. */
export function JsonDiff({ before, after }: { readonly before: Json; readonly after: Json }) {
  return (
    <pre class="json diff" tabIndex={0} aria-label="What changed">
      {lineDiff(linesOf(before), linesOf(after)).map(({ kind, text }, i) => (
        <span key={i} class={`diff-line ${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]} </span>
          <span class="visually-hidden">{SAID[kind]}</span>
          {`${text}\n`}
        </span>
      ))}
    </pre>
  );
}

function linesOf(value: Json): readonly string[] {
  return value === null ? [] : jsonText(value, 2).split('\n');
}
