import type { Document, Operation } from './openapi-document.ts';

/** Everything in which an answer is not as the document says. Reads its body. */
export async function faultsOf(document: Document, operation: Operation, response: Response): Promise<string[]> {
  const name = `${operation.operationId} ${response.status}`;
  const described = operation.responses[response.status] ?? operation.responses['default'];
  if (described === undefined) return [`${name} is not described`];
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const media = described.content[type];
  const body = await response.text();
  if (media === undefined) return [`${name} is not described with the type ${type}`];
  const value: unknown = type.endsWith('json') ? JSON.parse(body) : body;
  const wrong = document.problems(media.schema, value, 'closed').map(({ instancePath, message }) => {
    return `${name} ${instancePath} ${message}: ${body.slice(0, 300)}`;
  });
  for (const [header, { required, schema }] of Object.entries(described.headers ?? {})) {
    const text = response.headers.get(header);
    if (text === null && required) wrong.push(`${name} has no header ${header}`);
    const isNumber = 'type' in schema && schema.type === 'integer';
    if (text !== null && document.problems(schema, isNumber ? Number(text) : text).length > 0) {
      wrong.push(`${name} has the header ${header}: ${text}`);
    }
  }
  return wrong;
}
