/** How another project fares while one is hostile: the same load alone, and beside `hostile.ts`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generatePacedLoad } from '../bench/load.ts';
import { SINGLE } from '../bench/bodies.ts';
import { READ_KEY, type ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { provision } from '../torture/provision.ts';
import type { HostileAnswers, HostileLoad } from './hostile.ts';

const run = promisify(execFile);

const TRACKS_PER_SECOND = 200;
const PREVIEWS_PER_SECOND = 2;
const PREVIEW = JSON.stringify({
  definition: { all: [{ event: 'Order Completed', within: { last: '30d' }, count: { at_least: 1 } }] },
  sample: 10,
});

type Paced = Awaited<ReturnType<typeof generatePacedLoad>>;

/** What one project was answered. */
export interface Fared {
  readonly track: Paced;
  readonly preview: Paced;
}

export interface Compared {
  readonly alone: Fared;
  readonly beside: Fared;
  readonly hostile: HostileAnswers;
}

/** Measures the first project, which posts and asks, beside a second one that is hostile. */
export async function besideHostile(
  service: Pick<ServiceProcess, 'url'>,
  environment: Readonly<Record<string, string>>,
  { aloneSeconds, besideSeconds }: { readonly aloneSeconds: number; readonly besideSeconds: number },
): Promise<Compared> {
  const [, hostile] = await provision({ environment }, ['UTC']);
  if (hostile === undefined) throw new Error('no second project was made');
  const { id: projectId, writeKey, readKey } = hostile;
  const alone = await fare(service.url, aloneSeconds);
  const attacking = attack({ url: service.url, projectId, writeKey, readKey, seconds: besideSeconds });
  const beside = await fare(service.url, besideSeconds);
  return { alone, beside, hostile: await attacking };
}

async function fare(url: string, seconds: number): Promise<Fared> {
  const common = { seconds, warmUpSeconds: 0 };
  const [track, preview] = await Promise.all([
    generatePacedLoad({
      ...common,
      url: `${url}/v1/track`,
      body: SINGLE,
      headers: headersOf(WRITE_KEY),
      connections: 16,
      rate: TRACKS_PER_SECOND,
    }),
    generatePacedLoad({
      ...common,
      url: `${url}/v1/audiences/preview`,
      body: PREVIEW,
      headers: headersOf(READ_KEY),
      connections: 4,
      rate: PREVIEWS_PER_SECOND,
    }),
  ]);
  return { track, preview };
}

function headersOf(key: string): Record<string, string> {
  return { 'content-type': 'application/json', api_key: key };
}

async function attack(load: HostileLoad): Promise<HostileAnswers> {
  const program = join(import.meta.dirname, 'hostile.ts');
  const { stdout } = await run(process.execPath, [program, JSON.stringify(load)]);
  return JSON.parse(stdout) as HostileAnswers;
}
