import type { Document, Operation, ResponseObject } from './document.ts';

/** Everything in which an answer is not as the document says. Reads its body. */
export async function faultsOf(document: Document, operation: Operation, response: Response): Promise<string[]> {
  const name = `${operation.operationId} ${response.status}`;
  const described = operation.responses[response.status] ?? operation.responses['default'];
  if (described === undefined) return [`${name} is not described`];
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const media = described.content[type];
  const body = await response.text();
  if (isEmpty(described, body)) return [];
  if (media === undefined) return [`${name} is not described with the type ${type}`];
  const wrong = valuesOf(type, body)
    .flatMap((value) => document.problems(media.schema, value, 'closed'))
    .map(({ instancePath, message }) => `${name} ${instancePath} ${message}: ${body.slice(0, 300)}`);
  return [...wrong, ...headerFaultsOf(document, name, described, response)];
}

function isEmpty({ content }: ResponseObject, body: string): boolean {
  return body === '' && Object.keys(content).length === 0;
}

/** What the schema of a body of this type is about: of lines of JSON, each line. */
function valuesOf(type: string, body: string): unknown[] {
  if (type === 'application/x-ndjson') {
    const lines = body.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as unknown);
  }
  return [type.endsWith('json') ? (JSON.parse(body) as unknown) : body];
}

function headerFaultsOf(document: Document, name: string, { headers }: ResponseObject, response: Response): string[] {
  const wrong: string[] = [];
  for (const [header, { required, schema }] of Object.entries(headers ?? {})) {
    const text = response.headers.get(header);
    if (text === null && required) wrong.push(`${name} has no header ${header}`);
    const isNumber = 'type' in schema && schema.type === 'integer';
    if (text !== null && document.problems(schema, isNumber ? Number(text) : text).length > 0) {
      wrong.push(`${name} has the header ${header}: ${text}`);
    }
  }
  return wrong;
}
