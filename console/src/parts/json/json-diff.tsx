import { type Json, jsonText } from '../../api/json.ts';
import { lineDiff } from './line-diff.ts';

const SIGNS = { same: ' ', removed: '−', added: '+' };
const SAID = { same: '', removed: 'Removed: ', added: 'Added: ' };

/** Two texts as one, with what was removed and added marked. */
export function TextDiff({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  return (
    <pre class="json diff" tabIndex={0} aria-label="What changed, line by line">
      {lineDiff(before, after).map(({ kind, line }, i) => (
        <span key={i} class={`diff-line ${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]} </span>
          <span class="visually-hidden">{SAID[kind]}</span>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}

/** Two JSON values, indented. Null is a value that is not there. */
export function JsonDiff({ before, after }: { readonly before: Json; readonly after: Json }) {
  return <TextDiff before={linesOf(before)} after={linesOf(after)} />;
}

function linesOf(value: Json): readonly string[] {
  return value === null ? [] : jsonText(value, 2).split('\n');
}
