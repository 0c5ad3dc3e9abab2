/** The options of a command, as the OpenAPI document describes what they set. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Described, Field, Keywords } from './described.ts';

/** What `none` reads as: commander (15.1) turns a parsed null into an empty string. */
export const NONE = Symbol('none');

/** Adds an option for everything that the operation takes. Two that set the same member are refused together. */
export function addOptions(command: Command, { fields, words }: Described): void {
  const made = fields.map((field) => optionOf(field, words.defaults?.[topMember(field)]));
  for (const [at, option] of made.entries()) {
    const others = made.filter((_, where) => where !== at && topMember(fields[where]) === topMember(fields[at]));
    command.addOption(option.conflicts(others.map((other) => other.attributeName())));
  }
}

/** The member that the option sets, or a member of which. */
function topMember(field: Field | undefined): string {
  const sets = field?.sets ?? '';
  return typeof sets === 'string' ? (sets.split('.')[0] ?? '') : (Object.keys(sets)[0] ?? '');
}

function optionOf({ option: name, sets, schema, help, isRequired }: Field, preset: unknown): Option {
  const fallback = preset ?? schema.default;
  const note =
    fallback === undefined || typeof sets !== 'string' || isFlag(schema) ? '' : ` (default: ${asText(fallback)})`;
  if (typeof sets !== 'string' || isFlag(schema)) return new Option(`--${name}`, help);
  const option = new Option(`--${name} <${name.split('-').at(-1)}>`, `${help}${note}`.trim());
  if (isRequired) option.makeOptionMandatory();
  const choices = choicesOf(schema.items ?? schema);
  if (choices !== undefined) option.choices(choices);
  return option.argParser(readerOf(schema, choices));
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map((member) => asText(member)).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether there is nothing to say but that it is so. */
export function isFlag({ type, enum: choices = [] }: Keywords): boolean {
  return type === 'boolean' || choices.includes('true') || (choices.length === 1 && type === undefined);
}

export function choicesOf({ enum: choices }: Keywords): readonly string[] | undefined {
  return choices?.map((choice) => (choice === null ? 'none' : asText(choice)));
}

export function admits({ type, enum: choices }: Keywords, name: string): boolean {
  return (
    type === name ||
    (Array.isArray(type) && type.includes(name)) ||
    (name === 'null' && choices?.includes(null) === true)
  );
}

/** Whether it is given as a document: JSON, or a file of it. */
export function isDocument(schema: Keywords): boolean {
  return admits(schema, 'object');
}

/** What is sent of the value of an option. */
export function valueSetBy({ schema }: Field, value: unknown): unknown {
  if (value === NONE) return null;
  return value === true && schema.enum !== undefined ? schema.enum[0] : value;
}

type OptionReader = (text: string, before: unknown) => unknown;

/** Reads the text of an option or argument. @throws InvalidArgumentError */
export function readerOf(schema: Keywords, choices = choicesOf(schema)): OptionReader {
  const read = admits(schema, 'array') ? listReader(choices) : valueReader(schema, choices);
  return (text, before) => (text === 'none' && admits(schema, 'null') ? NONE : read(text, before));
}

function valueReader(schema: Keywords, choices: readonly string[] | undefined): OptionReader {
  if (admits(schema, 'integer') || admits(schema, 'number')) return numberReader(schema);
  return (text) => {
    if (choices?.includes(text) === false) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return text;
  };
}

/** Several texts with commas between them, or the option again. */
function listReader(choices: readonly string[] | undefined): OptionReader {
  const read = valueReader({}, choices);
  return (text, before) => {
    const values = text === '' ? [] : text.split(',').map((one) => read(one, undefined));
    return [...(Array.isArray(before) ? (before as unknown[]) : []), ...values];
  };
}

function numberReader(schema: Keywords): OptionReader {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const isWhole = admits(schema, 'integer');
  const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
  const form = isWhole ? /^\d{1,16}$/ : /^\d{1,15}(?:\.\d{1,9})?$/;
  return (text) => {
    const value = Number(text);
    if (form.test(text) && value >= minimum && value <= maximum) return value;
    const none = admits(schema, 'null') ? ', or none' : '';
    throw new InvalidArgumentError(`It is a ${isWhole ? 'whole ' : ''}number ${range}${none}.`);
  };
}
