import type { Json } from '../../api/json.ts';
import { linesOf, spaceBefore, type Words } from './sentence.ts';
import './sentence.css';

/** A definition as an indented list. */
export function Sentences({ definition }: { readonly definition: Json }) {
  return (
    <ul class="sentences">
      {linesOf(definition).map(({ depth, words }, i) => (
        <li key={i} class={`depth-${Math.min(depth, 6)}`}>
          <Sentence words={words} />
        </li>
      ))}
    </ul>
  );
}

/** The words, names and values of them more strongly. */
export function Sentence({ words }: { readonly words: readonly Words[] }) {
  return (
    <span class="sentence">
      {words.map(({ kind, text }, i) => (
        <span key={i}>
          {spaceBefore(words, i)}
          <span class={kind}>{text}</span>
        </span>
      ))}
    </span>
  );
}
