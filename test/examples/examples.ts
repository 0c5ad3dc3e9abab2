import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runTool } from '../servers/processes/server-process.ts';
import { READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { sharedService } from '../support/service/shared-service.ts';

interface Example {
  readonly language: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** Runs where the language is there. */
  readonly probe: readonly [file: string, ...args: string[]];
}

const EXAMPLES: readonly Example[] = [
  { language: 'node', command: [process.execPath, 'examples/node/first.js'], probe: [process.execPath, '--version'] },
  { language: 'python', command: ['python3', 'examples/python/first.py'], probe: ['python3', '--version'] },
  { language: 'go', command: ['go', 'run', 'examples/go/first.go'], probe: ['go', 'version'] },
  { language: 'curl', command: ['sh', 'examples/curl/first.sh'], probe: ['curl', '--version'] },
];

/** Runs the examples in these languages against a service of the test file. */
export async function testExamples(languages: readonly string[]): Promise<void> {
  const examples = EXAMPLES.filter(({ language }) => languages.includes(language));
  const missing = new Set<string>();
  for (const { language, probe } of examples) {
    const [file, ...args] = probe;
    const why = await runTool(file, args).then(
      () => undefined,
      (error: unknown) => String(error).split('\n')[0],
    );
    if (why === undefined) continue;
    if (process.env['REQUIRE_SERVERS'] === '1' && language !== 'go')
      throw new Error(`the tests need ${language}: ${why}`);
    process.stderr.write(`no ${language} for its example: ${why}\n`);
    missing.add(language);
  }
  const service = sharedService();

  describe.each(examples)('the example in $language', { timeout: 300_000 }, ({ language, command }) => {
    test.skipIf(missing.has(language))(
      'an example sends an identify and a track, and reads the user back',
      async () => {
        const [file, ...args] = command;
        const env = { ...process.env, TIDEMARK_URL: service().url, WRITE_KEY, READ_KEY };

        const { stdout } = await promisify(execFile)(file, args, { env });

        const [user, page] = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { events: object[] });
        expect(user).toMatchObject({ user_id: 'ada', traits: { plan: 'pro', language } });
        expect(page?.events[0]).toMatchObject({ event: 'Signed Up', properties: { source: language } });
      },
    );
  });
}
