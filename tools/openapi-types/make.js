/**
 * Prints the TypeScript types of the OpenAPI document, or, with `--write`, writes them where they are kept. This package's own
 * dependencies must be installed: `npm run openapi:types` sees to it.
 */
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { openApiDocument } from '../../services/query-api/openapi.ts';

const OPENAPI_TYPES = new URL('../../schemas/openapi-types.ts', import.meta.url);

const HEAD = `/**
 * Generated from schemas/openapi/*.json by \`npm run openapi:types\`: not written by hand, and neither linted nor formatted.
 * All that the service takes and answers, as types alone.
 */
`;

// A parameter with a default is always there for its handler. Clients may leave it out: `Query` of schemas/operations.ts.
const document = JSON.parse(JSON.stringify(openApiDocument('/legacy')), (_, value) =>
  value?.in === 'query' && 'default' in value.schema ? { ...value, required: true } : value,
);
const types = await openapiTS(document, {
  immutable: true,
  emptyObjectsUnknown: true,
  alphabetize: true,
  silent: true,
});
const text = HEAD + astToString(types);
if (process.argv.includes('--write')) writeFileSync(OPENAPI_TYPES, text);
else process.stdout.write(text);
