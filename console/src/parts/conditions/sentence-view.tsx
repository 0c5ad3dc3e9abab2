/** The service's description of a definition. */
import { parseJson } from '../../api/json.ts';
import './sentence.css';

/** A description as an indented list. */
export function Sentences({ description }: { readonly description: string }) {
  return (
    <ul class="sentences">
      {description.split('\n').map((line, i) => (
        <li key={i} style={depthOf(line)}>
          <Sentence text={line} />
        </li>
      ))}
    </ul>
  );
}

/** How deep a line of a description stands: it has two spaces for each group around it. */
export function depthOf(line: string): Readonly<Record<'--depth', number>> {
  const spaces = line.length - line.trimStart().length;
  return { '--depth': spaces / 2 };
}

/** A description in one line. */
export function SentenceOf({ description }: { readonly description: string }) {
  const text = description.replaceAll(/(:?)\n +/g, (_, colon: string) => (colon === '' ? '; ' : ': '));
  return <Sentence text={text} />;
}

/** Names, texts and numbers. */
const VALUES = /("(?:[^"\\]|\\.)*"|-?\b\d[\w.:+-]*)/;

/** The names and values of it more strongly. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <span class="sentence">
      {text
        .trimStart()
        .split(VALUES)
        .map((part, i) => (
          <span key={i} class={i % 2 === 0 ? 'word' : 'value'}>
            {i % 2 === 0 ? part : withoutQuotes(part)}
          </span>
        ))}
    </span>
  );
}

/** Names and texts stand out by their look. One that would not be seen keeps its quotes. */
function withoutQuotes(value: string): string {
  return value.startsWith('"') && value.slice(1, -1).trim() !== '' ? (parseJson(value) as string) : value;
}
