import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess } from '../support/service/service.ts';
import type { Outcome } from './outcomes.ts';
import { codeOnPage, rowOf, rowsOnPage, writeRows } from './page.ts';
import { prepared } from './programs.ts';
import { outcomesOfRuns, runScenarios, preflight, type Runnable } from './scenario-runs.ts';
import { type Sdk, SDKS, sourceOf } from './sdks.ts';

const ORIGIN = 'https://shop.example';

/** Runs the SDKs for these languages against one service, and compares what came of it with the page. */
export async function testSdks(...languages: readonly Sdk['kind'][]): Promise<void> {
  const sdks = SDKS.filter(({ kind }) => languages.includes(kind));
  const commandOf = new Map(await Promise.all(languages.map(async (kind) => [kind, await prepared(kind)] as const)));
  const runnables = sdks.flatMap((sdk): readonly Runnable[] => {
    const command = commandOf.get(sdk.kind)?.(sdk);
    return command === undefined ? [] : [{ sdk, command }];
  });

  let outcomes: readonly Outcome[] = [];

  let folder: string;
  let service: ServiceProcess | undefined;

  afterAll(async () => {
    await service?.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-sdks-'));
    const started = await ServiceProcess.start(folder, { CORS_ORIGINS: ORIGIN });
    service = started;
    const runs = await runScenarios(started, runnables);
    const wire = process.env['SDK_WIRE_FILE'];
    if (wire !== undefined) await writeFile(wire, JSON.stringify(runs, null, 1));
    const inBrowsers = runnables.filter(({ sdk }) => sdk.inBrowsers);
    const preflights = inBrowsers.map(({ sdk }) => preflight(started, sdk, ORIGIN));
    outcomes = [...(await outcomesOfRuns(started, runs)), ...(await Promise.all(preflights))];
    if (process.env['UPDATE_SDK_TABLE'] === '1') {
      await writeRows(SDKS, new Map(runnables.map(({ sdk }) => [sdk.name, rowOf(sdk, outcomesOf(sdk))])));
    }
  }, 560_000);

  function outcomesOf({ name }: Sdk): readonly Outcome[] {
    return outcomes.filter(({ sdk }) => sdk === name);
  }

  describe('docs/sdks.md', () => {
    test.each(runnables.map(({ sdk }) => [sdk.name, sdk] as const))(
      'the page says what comes of %s',
      async (name, sdk) => {
        const said = (await rowsOnPage()).get(name);

        expect(said).toEqual(rowOf(sdk, outcomesOf(sdk)));
      },
    );

    test.each(sdks.map((sdk) => [sdk.name, sdk] as const))(
      'the page has the code that the tests run for %s',
      async (_, sdk) => {
        const program = (await sourceOf(sdk)).split('\n').map((line) => line.trim());

        const places = (await codeOnPage(sdk)).map((line) => program.indexOf(line));

        expect(places.every((place, index) => place > (places[index - 1] ?? -1))).toBe(true);
      },
    );

    test('the page has a row for every SDK and no other', async () => {
      expect([...(await rowsOnPage()).keys()]).toEqual(SDKS.map(({ name }) => name));
    });
  });

  test('no message that an SDK sent again is recorded twice', () => {
    expect(outcomes.filter(({ difference }) => difference.includes('more than once'))).toEqual([]);
  });

  test('no message of a wrong key is recorded', () => {
    const wrong = outcomes.filter(({ scenario }) => scenario === 'wrong key');

    expect(wrong.map(({ outcome }) => outcome)).toEqual(runnables.map(() => 'refused'));
  });
}
