import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from './call.ts';

/** An SDK that nobody of this project wrote. */
export interface Sdk {
  /** As in its registry. */
  readonly name: string;
  readonly version: string;
  readonly kind: 'npm' | 'python' | 'go' | 'java';
  /** The program's file without its ending, in the folder of its kind; for Go the program's folder. */
  readonly program: string;
  /** Its program is that of another SDK of its kind, with these words in place of those. */
  readonly like?: { readonly program: string; readonly words: readonly (readonly [word: string, own: string])[] };
  /** Calls that it does not have, and members that its calls do not have. */
  readonly lacks?: readonly (Call['type'] | keyof Call)[];
  /** It leaves members out that are null, so that no service can see them. */
  readonly omitsNull?: true;
  /** It sends again what was refused, for a minute or more. */
  readonly retriesRefused?: true;
  /** When it makes a new anonymous id as the user changes. Left out where it keeps none. */
  readonly newAnonymousId?: 'by itself' | 'at `reset`';
  /** It runs in pages of other origins. */
  readonly inBrowsers?: true;
}

const RUDDER_GO_3 = [
  ['segmentio/analytics-go/v3', 'rudderlabs/analytics-go'],
  ['\tclient, _ := analytics.NewWithConfig(writeKey, analytics.Config{\n', '\tvar config analytics.Config\n'],
  ['\t\tEndpoint: url,\n', ''],
  ['\t\tInterval: calls.Interval,', '\tconfig.Interval = calls.Interval'],
  ['\t\tCallback: pending{},', '\tconfig.Callback = pending{}'],
  ['\t})\n', '\tclient, _ := analytics.NewWithConfig(writeKey, url, config)\n'],
] as const;

const RUDDER_GO_4 = [
  ['segmentio/analytics-go/v3', 'rudderlabs/analytics-go/v4'],
  ['Endpoint:', 'DataPlaneUrl:'],
  ['Timestamp:', 'OriginalTimestamp:'],
] as const;

const RUDDER_JAVA = [
  ['com.segment.analytics', 'com.rudderstack.sdk.java.analytics'],
  ['Analytics analytics', 'RudderAnalytics analytics'],
  ['Analytics.builder', 'RudderAnalytics.builder'],
  ['.endpoint(', '.setDataPlaneUrl('],
  ['Segment', 'Rudder'],
] as const;

export const SDKS: readonly Sdk[] = [
  { kind: 'npm', name: '@segment/analytics-node', version: '3.1.0', program: 'segment-node' },
  { kind: 'npm', name: 'analytics-node', version: '6.2.0', program: 'segment-node-6' },
  { kind: 'npm', name: '@customerio/cdp-analytics-node', version: '0.5.9', program: 'customerio' },
  { kind: 'npm', name: '@rudderstack/rudder-sdk-node', version: '3.0.13', program: 'rudder-node' },
  { kind: 'npm', name: '@dittofeed/sdk-node', version: '0.1.2', program: 'dittofeed', lacks: ['group', 'alias'] },
  {
    kind: 'npm',
    name: '@jitsu/js',
    version: '1.11.0',
    program: 'jitsu',
    lacks: ['screen', 'alias', 'timestamp'],
    newAnonymousId: 'at `reset`',
  },
  {
    kind: 'npm',
    name: '@segment/analytics-next',
    version: '1.84.3',
    program: 'segment-browser',
    newAnonymousId: 'by itself',
    inBrowsers: true,
  },
  { kind: 'python', name: 'segment-analytics-python', version: '2.4.0', program: 'segment_python' },
  { kind: 'python', name: 'rudder-sdk-python', version: '2.1.9', program: 'rudder_python' },
  {
    kind: 'go',
    name: 'github.com/segmentio/analytics-go/v3',
    version: '3.3.0',
    program: 'segment',
    retriesRefused: true,
  },
  {
    kind: 'go',
    name: 'github.com/rudderlabs/analytics-go',
    version: '3.3.3',
    program: 'rudder3',
    like: { program: 'segment', words: RUDDER_GO_3 },
    retriesRefused: true,
  },
  {
    kind: 'go',
    name: 'github.com/rudderlabs/analytics-go/v4',
    version: '4.2.0',
    program: 'rudder4',
    like: { program: 'segment', words: RUDDER_GO_4 },
    retriesRefused: true,
  },
  { kind: 'java', name: 'com.segment.analytics.java:analytics', version: '3.5.4', program: 'Segment', omitsNull: true },
  {
    kind: 'java',
    name: 'com.rudderstack.sdk.java.analytics:analytics',
    version: '3.1.2',
    program: 'Rudder',
    like: { program: 'Segment', words: RUDDER_JAVA },
    omitsNull: true,
  },
];

/** The source of its program. */
export async function sourceOf({ kind, program, like = { program, words: [] } }: Sdk): Promise<string> {
  const source = await readFile(join(import.meta.dirname, kind, sourceFileOf({ kind, program: like.program })), 'utf8');
  return like.words.reduce((text, [word, own]) => text.replaceAll(word, own), source);
}

/** Its file, in the folder of its kind. */
export function sourceFileOf({ kind, program }: Pick<Sdk, 'kind' | 'program'>): string {
  return { npm: `${program}.ts`, python: `${program}.py`, go: `${program}/main.go`, java: `${program}.java` }[kind];
}
