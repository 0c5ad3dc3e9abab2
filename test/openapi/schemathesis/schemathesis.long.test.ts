/** Schemathesis, which knows the service by its OpenAPI document alone, sends what the document allows. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { pythonOrReason } from '../../foreign/python.ts';
import { ADMIN_KEY, READ_KEY, type ServiceProcess, WRITE_KEY } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const python = await pythonOrReason(join(import.meta.dirname, 'requirements.txt'), 'Schemathesis');

// A stream without end, which Schemathesis would wait for.
const ENDLESS = '/v1/events/live';

const OPTIONS = [
  '--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
  '--seed=1',
  '--request-timeout=60',
  '--no-color',
  `--exclude-path=${ENDLESS}`,
];

// The examples of the document, and bodies and parameters that Schemathesis makes up.
const PHASES = ['examples', 'fuzzing'];

describe.skipIf(python === undefined)('Schemathesis', () => {
  test.each(PHASES)(
    'Schemathesis (%s) finds no answer that differs from the OpenAPI document, with a key of any scope',
    { timeout: 600_000 },
    async (phase) => {
      const service = await startedService();

      for (const key of [READ_KEY, WRITE_KEY, ADMIN_KEY]) expect(await faultsFound(service, key, phase)).toBe('');
    },
  );
});

/** What Schemathesis reports; '' where it found nothing. */
async function faultsFound({ url }: ServiceProcess, key: string, phase: string): Promise<string> {
  const given = [`--header=api_key: ${key}`, `--phases=${phase}`, '--max-examples=4', ...OPTIONS];
  const args = ['-m', 'schemathesis.cli', 'run', `${url}/openapi.json`, ...given];
  return promisify(execFile)(python ?? '', args, { cwd: await temporaryFolder(), maxBuffer: 2 ** 26 }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
