/**
 * The images and actions that this repository names from outside, each by a digest or a commit:
 *
 *     node tools/pins.ts images   makes deploy/images.txt from the compose files and deploy/Dockerfile
 *     node tools/pins.ts write    asks the registries for the digests that are missing, and writes them where the image is named
 *     node tools/pins.ts check    asks them whether each digest is there, for both platforms, and GitHub for each commit
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { lookUp, parseImage } from './registry.ts';

const LIST = 'deploy/images.txt';
const COMPOSE_FILES = ['docker-compose.yml', ...globSync('deploy/*.yml').sort()];
const IMAGE_FILES = [...COMPOSE_FILES, 'deploy/Dockerfile'];
const WORKFLOWS = globSync('.github/workflows/*.yml').sort();
const PLATFORMS = ['linux/amd64', 'linux/arm64'];
const HEAD = `# Every image that the compose files and deploy/Dockerfile name, and the variable that gives it another name. Made by
# \`node tools/pins.ts images\`; deploy/save-images.sh and deploy/load-images.sh read it.
`;

/** `NAME:TAG[@DIGEST]`, and the variable that gives it another name. */
export interface NamedImage {
  readonly image: string;
  readonly variable: string;
}

/** `uses: ACTION@COMMIT # TAG`; of the two at the end, what is not there is undefined. */
export interface Action {
  readonly action: string;
  readonly commit: string;
  readonly tag: string | undefined;
}

/** In a compose file `image: ${NAME:-IMAGE}`, in a Dockerfile `ARG NAME=IMAGE`. Ours come first. */
export function imagesIn(texts: readonly string[]): NamedImage[] {
  const found = texts.flatMap((text) => [...text.matchAll(/(?:image: \$\{|^ARG )(\w+_IMAGE)(?::-|=)([^\s}]+)/gm)]);
  const named = new Map(found.map(([, variable = '', image = '']) => [image, variable]));
  const images = [...named].map(([image, variable]) => ({ image, variable }));
  return images.sort((one, other) => Number(isOurs(other)) - Number(isOurs(one)));
}

/** Built from this repository. */
export function isOurs({ variable }: NamedImage): boolean {
  return variable.startsWith('TIDEMARK_');
}

export function actionsIn(texts: readonly string[]): Action[] {
  const found = texts.flatMap((text) => [...text.matchAll(/uses: ([\w./-]+)@(\S+)(?: # (\S+))?$/gm)]);
  return found.map(([, action = '', commit = '', tag]) => ({ action, commit, tag }));
}

export function listOf(images: readonly NamedImage[]): string {
  return HEAD + images.map(({ image, variable }) => `${image} ${variable}\n`).join('');
}

/** What is wrong with an image's digest; none where it is there for both platforms. @param hub As `lookUp`. */
export async function problemsOf({ image }: NamedImage, hub?: string): Promise<string[]> {
  const parsed = parseImage(image);
  if (parsed.digest === undefined) return [`${image} has no digest: node tools/pins.ts write`];
  try {
    const found = await lookUp(parsed, hub);
    const missing = PLATFORMS.filter((platform) => !found.platforms.includes(platform));
    return [
      ...(found.digest === parsed.digest ? [] : [`${image}: the registry answered with ${found.digest}`]),
      ...missing.map((platform) => `${image} is not for ${platform}`),
    ];
  } catch (error) {
    return [`${image}: ${String(error)}`];
  }
}

/** The texts of files, with the digest of each image that has none. @param hub As `lookUp`. */
export async function withDigests(texts: readonly string[], hub?: string): Promise<string[]> {
  let written = [...texts];
  for (const named of imagesIn(texts)) {
    const image = parseImage(named.image);
    if (isOurs(named) || image.digest !== undefined) continue;
    const { digest } = await lookUp(image, hub);
    written = written.map((text) => text.replaceAll(named.image, `${named.image}@${digest}`));
  }
  return written;
}

/** Whether the tag of an action is the commit. @param origin Where the repositories are. */
export function problemsOfAction({ action, commit, tag }: Action, origin = 'https://github.com'): string[] {
  const repository = action.split('/').slice(0, 2).join('/');
  const asked = ['ls-remote', `${origin}/${repository}`, `refs/tags/${tag}`, `refs/tags/${tag}^{}`];
  try {
    // The commit of an annotated tag is the second line.
    const lines = execFileSync('git', asked, { encoding: 'utf8', stdio: 'pipe' }).trim().split('\n');
    const found = lines.at(-1)?.split('\t')[0];
    return found === commit ? [] : [`${action} ${tag} is ${found || 'not there'}, not ${commit}`];
  } catch (error) {
    return [`${action}: ${(error as Error).message.trim().split('\n').at(-1)}`];
  }
}

async function run(command: string | undefined): Promise<number> {
  const textsOf = (files: readonly string[]): string[] => files.map((file) => readFileSync(file, 'utf8'));
  const writeList = (): void => writeFileSync(LIST, listOf(imagesIn(textsOf(IMAGE_FILES))));
  if (command === 'images') {
    writeList();
    return 0;
  }
  if (command === 'write') {
    const texts = await withDigests(textsOf(IMAGE_FILES));
    IMAGE_FILES.forEach((file, index) => writeFileSync(file, texts[index] ?? ''));
    writeList();
    return 0;
  }
  if (command !== 'check') {
    process.stderr.write('usage: node tools/pins.ts images|write|check\n');
    return 2;
  }
  const foreign = imagesIn(textsOf(IMAGE_FILES)).filter((image) => !isOurs(image));
  const ofImages = await Promise.all(foreign.map((image) => problemsOf(image)));
  const ofActions = actionsIn(textsOf(WORKFLOWS)).flatMap((action) => problemsOfAction(action));
  const problems = [...ofImages.flat(), ...ofActions];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await run(process.argv[2]);
