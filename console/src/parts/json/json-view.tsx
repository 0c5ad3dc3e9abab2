/** A value of a user, as it was sent: indented, coloured by kind, every digit there. Text nodes only. */
import { isRawNumber, type Json, jsonText, valueText } from '../../api/json.ts';

export function JsonView({ value }: { readonly value: Json }) {
  return (
    <pre class="json" tabIndex={0}>
      {piecesOf(jsonText(value, 2))}
    </pre>
  );
}

/** A value on one line, shortened where it is long. */
export function JsonValue({ value, maxLength = 200 }: { readonly value: Json; readonly maxLength?: number }) {
  const text = valueText(value);
  const kind = typeof value === 'string' ? 'string' : isRawNumber(value) ? 'number' : 'other';
  return (
    <span class={`value ${kind}`} title={text.length > maxLength ? text : undefined}>
      {text.length > maxLength ? (
        `${text.slice(0, maxLength)}…`
      ) : text === '' ? (
        <span class="quiet">empty text</span>
      ) : (
        breakable(text)
      )}
    </span>
  );
}

/** A long word may be broken where its parts meet: `ada.lovelace@` and `example.com`, and not within them. */
function breakable(text: string) {
  return text.split(/(?<=[@/])/).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]));
}

/** `total 129.90 · currency EUR`: the first members of an object, for a line of a list. */
export function Excerpt({ value }: { readonly value: Readonly<Record<string, Json>> }) {
  return (
    <span class="excerpt">
      {Object.entries(value)
        .slice(0, 6)
        .map(([name, member]) => (
          <span key={name}>
            <span class="quiet">{name}</span> <JsonValue value={member} maxLength={40} />
          </span>
        ))}
    </span>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)/g;

/** JSON as text nodes, coloured by kind. */
export function piecesOf(text: string) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, number] = match;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    const kind =
      colon === undefined ? (quoted === undefined ? (number === undefined ? 'other' : 'number') : 'string') : 'name';
    pieces.push(
      <span key={match.index} class={kind}>
        {whole}
      </span>,
    );
    end = match.index + whole.length;
  }
  pieces.push(text.slice(end));
  return pieces;
}
