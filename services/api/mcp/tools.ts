/** The tools of an assistant, made of the operations of the OpenAPI document that have `x-mcp`. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../schemas/openapi-files.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Call } from '../../http/call.ts';
import { invalid, type Refusal } from '../../http/problems.ts';
import { toJsonText } from '../../messages/json.ts';
import { pointerTo } from '../../messages/unacceptable.ts';
import { documentedOperations, documentedSchema, type Operation, type Parameter, parametersOf } from '../input.ts';

export interface Tool {
  readonly operation: OperationName;
  /** As it is listed: nothing in it is of a project. */
  readonly listed: ListedTool;
  /** The arguments that stand in the path or in the query. All others are members of the body. */
  readonly parameters: readonly string[];
  /** Whether nothing in its answers is of users, so that texts are given whole. */
  readonly keepsTexts: boolean;
}

/** Half of the text of all schemas: the first tool that takes definitions has it whole, the others in short. */
const GRAMMAR = 'Audience';
const REFERENCE = /"\$ref":"(#\/components\/schemas\/([\w.-]+))"/g;

/** In the order of the document. */
export function documentedTools(): readonly Tool[] {
  let grammarIn: string | undefined;
  const operations = documentedOperations().filter(([, operation]) => operation['x-mcp'] !== undefined);
  return operations.map(([name, operation]) => {
    const tool = toolOf(name, operation, grammarIn);
    if (GRAMMAR in (tool.listed.inputSchema['$defs'] as object)) grammarIn ??= operation.operationId;
    return tool;
  });
}

function toolOf(operation: OperationName, described: Operation, grammarIn: string | undefined): Tool {
  const { operationId: name, summary: title, description = '', requestBody, 'x-mcp': words = {} } = described;
  const all = parametersOf(operation).all.filter((one) => words.without?.includes(one.name) !== true);
  // What callers have chosen may stand in the query in place of the path.
  const parameters = all.filter((one, at) => all.findIndex((other) => other.name === one.name) === at);
  const { schema = {}, examples = {} } = requestBody?.content['application/json'] ?? {};
  const { properties, required = [] } = '$ref' in schema ? documentedSchema(schema['$ref'] as string) : schema;
  const given = {
    properties: { ...Object.fromEntries(parameters.map(propertyOf)), ...(properties as object) },
    required: [...parameters.filter((one) => one.required).map((one) => one.name), ...(required as string[])],
    examples: Object.values(examples).map((one) => (one as JsonObject)['value']),
  };
  const inputSchema = { type: 'object', ...given, additionalProperties: false, $defs: schemasIn(given, grammarIn) };
  const text = JSON.stringify(inputSchema).replaceAll('"#/components/schemas/', '"#/$defs/');
  const listed = { name, title, description: `${title}. ${description}`.trim(), annotations: { readOnlyHint: true } };
  return {
    operation,
    listed: { ...listed, inputSchema: JSON.parse(text) as ListedTool['inputSchema'] },
    parameters: parameters.map((one) => one.name),
    keepsTexts: words.keepsTexts === true,
  };
}

function propertyOf({ name, schema, description, example }: Parameter): [name: string, schema: object] {
  return [name, { ...schema, description, ...(example !== undefined && { examples: [example] }) }];
}

/** The schemas that this one refers to, and those that they refer to. */
function schemasIn(schema: object, grammarIn?: string, found: Record<string, JsonObject> = {}): JsonObject {
  for (const [, reference = '', name = ''] of JSON.stringify(schema).matchAll(REFERENCE)) {
    if (name in found) continue;
    const whole = documentedSchema(reference);
    found[name] = name === GRAMMAR && grammarIn !== undefined ? inShort(whole, grammarIn) : whole;
    schemasIn(found[name], grammarIn, found);
  }
  return found;
}

function inShort({ description, examples = [] }: JsonObject, grammarIn: string): JsonObject {
  const where = `Its whole grammar is in the schema of the tool ${grammarIn}.`;
  return { type: 'object', description: `${description as string} ${where}`, examples };
}

/** What arguments make of a request: its parameters and its body. @param given With every digit of their numbers. */
export function requestBy(
  { listed: { inputSchema }, parameters }: Tool,
  given: Readonly<Record<string, unknown>>,
): Pick<Call, 'params' | 'search' | 'body'> | Refusal {
  const known = Object.keys(inputSchema.properties ?? {});
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  const missing = inputSchema.required?.find((name) => given[name] === undefined);
  const message = unknown === undefined ? 'is required' : `is unknown here; known are: ${known.join(', ')}`;
  const wrong = unknown ?? missing;
  if (wrong !== undefined) return invalid('invalid-parameter', [{ path: pointerTo([wrong]), message }]);
  const { parameter = [], member = [] } = Object.groupBy(Object.entries(given), ([name]) =>
    parameters.includes(name) ? 'parameter' : 'member',
  );
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : toJsonText(value));
  const params = Object.fromEntries(parameter.map(([name, value]) => [name, textOf(value)]));
  // Each is read where the document has it.
  const search = new URLSearchParams(params).toString();
  return { params, search, body: Buffer.from(toJsonText(Object.fromEntries(member))) };
}
