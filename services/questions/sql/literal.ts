/** A parameterised query as one that can be run by hand. Pure. */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { QUESTION_SETTINGS } from '../../stores/analytics/question-settings.ts';

// As `Params` writes them. Nothing that a caller wrote is in the text, so that whatever looks like one is one.
const PARAMETER = /\{(p\d+):([^}]*)\}/g;

/**
 * The query with a literal in the place of each parameter, and the settings that it needs. Every byte of a literal stands
 * for itself: in clickhouse-client, over HTTP, or pasted into a terminal.
 *
 * @throws RangeError where a parameter is of a type that `Params` does not make.
 */
export function runnableSql({ sql, params }: Query): string {
  const settings = Object.entries(QUESTION_SETTINGS).map(
    ([name, value]) => `${name} = ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  return `${sql.replaceAll(PARAMETER, (_, name: string, type: string) => literal(type, params[name]))} SETTINGS ${settings.join(', ')}`;
}

function literal(type: string, value: unknown): string {
  if (type === 'Array(String)') return `[${(value as readonly string[]).map(quotedLiteral).join(', ')}]`;
  const text = String(value);
  switch (type) {
    case 'String':
      return quotedLiteral(text);
    case 'Identifier':
      return `\`${escaped(text, '`')}\``;
    case 'UInt64':
      // A plain number, where it is one.
      return /^\d{1,18}$/.test(text) ? text : `toUInt64(${quotedLiteral(text)})`;
    case 'UInt128':
    case 'Int128':
    case 'Int64':
    case 'Float64':
      return `to${type}(${quotedLiteral(text)})`;
    case 'Decimal(76, 30)':
      return `toDecimal256(${quotedLiteral(text)}, 30)`;
    case "DateTime64(6, 'UTC')":
      return `toDateTime64(${quotedLiteral(text)}, 6, 'UTC')`;
    default:
      throw new RangeError(`no literal is known for a parameter of type ${type}`);
  }
}

function quotedLiteral(text: string): string {
  return `'${escaped(text, "'")}'`;
}

/** Escapes what would end it, and what a terminal or an editor would take for more than a character. */
function escaped(text: string, quote: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what it is about
  return text.replaceAll(/[\\'`\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g, (char) => {
    if (char === '\\') return '\\\\';
    if (char === "'" || char === '`') return char === quote ? `\\${char}` : char;
    return Array.from(Buffer.from(char), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
}
