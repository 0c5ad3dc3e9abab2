/** What a registry of images says of one: asked over HTTP, so that no Docker is needed. */
import { createHash } from 'node:crypto';

const INDEX_TYPES =
  'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';
const ANSWER_WITHIN_MS = 30_000;

/** An image of the pins: `[HOST/]NAME:TAG[@DIGEST]`. */
export interface Image {
  /** Without tag and digest, as it is written. */
  readonly name: string;
  readonly tag: string;
  readonly digest: string | undefined;
}

/** What a tag or a digest stands for in a registry. */
export interface Found {
  /** Computed from what was received, not as the registry says. */
  readonly digest: string;
  /** `linux/arm64`; none where it is no index of several platforms. */
  readonly platforms: readonly string[];
}

interface Index {
  readonly manifests?: readonly { readonly platform?: { readonly os: string; readonly architecture: string } }[];
}

export function parseImage(text: string): Image {
  const [tagged = '', digest] = text.split('@');
  const colon = tagged.lastIndexOf(':');
  return { name: tagged.slice(0, colon), tag: tagged.slice(colon + 1), digest };
}

/**
 * Looks an image up by its digest, or by its tag where it has none.
 *
 * @param hub Where images without a host are, with the scheme.
 * @throws Error where the registry does not have it, or does not answer.
 */
export async function lookUp(image: Image, hub = 'https://registry-1.docker.io'): Promise<Found> {
  const [first = '', ...rest] = image.name.split('/');
  const hasHost = rest.length > 0 && /[.:]/.test(first);
  const origin = hasHost ? `https://${first}` : hub;
  const repository = hasHost ? rest.join('/') : rest.length > 0 ? image.name : `library/${image.name}`;
  const url = `${origin}/v2/${repository}/manifests/${image.digest ?? image.tag}`;
  const bytes = Buffer.from(await (await askAuthorized(url)).arrayBuffer());
  const { manifests = [] } = JSON.parse(bytes.toString()) as Index;
  return {
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    platforms: manifests.flatMap(({ platform }) => (platform ? [`${platform.os}/${platform.architecture}`] : [])),
  };
}

/** A registry says where to get a token, which anybody gets for a public image. */
async function askAuthorized(url: string): Promise<Response> {
  const first = await ask(url);
  const challenge = first.headers.get('www-authenticate');
  if (first.status !== 401 || challenge === null) return answered(url, first);
  const { realm = '', ...parameters } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const given = answered(realm, await ask(`${realm}?${new URLSearchParams(parameters).toString()}`));
  const { token } = (await given.json()) as { token: string };
  return answered(url, await ask(url, { authorization: `Bearer ${token}` }));
}

function ask(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers: { accept: INDEX_TYPES, ...headers }, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
}

function answered(url: string, response: Response): Response {
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}
