/** Tokens by which the service signs in to brokers (SASL's OAUTHBEARER). No error contains one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { reasonOf } from '../../runtime/transport-faults.ts';
import { KAFKA, KafkaFault, UNREACHABLE } from './faults.ts';

/** Where tokens come from. */
export type TokenSource =
  /** A program, called without arguments, that prints one. */
  | { readonly from: 'command'; readonly command: string }
  /** A server that gives one for the client's own id and secret. https://datatracker.ietf.org/doc/html/rfc6749#section-4.4 */
  | {
      readonly from: 'url';
      readonly url: string;
      readonly clientId: string;
      readonly secret: string;
      readonly scope: string | undefined;
    }
  /** The signer of Amazon MSK, by the credentials that its SDK finds. */
  | { readonly from: 'msk'; readonly region: string };

/** Connections that open together share a token. */
const TOKEN_KEPT_MS = 10_000;
const WITHIN_MS = 10_000;
const MOST_BYTES = 65_536;
/** RFC 6750 has no other characters in a token. */
const TOKEN_FORM = /^[\w.~+/-]+=*$/;

const kept = new WeakMap<TokenSource, Promise<string>>();

/** A token for a new connection, or for one whose session ends. @throws KafkaFault */
export function tokenOf(source: TokenSource): Promise<string> {
  const earlier = kept.get(source);
  if (earlier !== undefined) return earlier;
  const token = fetchToken(source);
  kept.set(source, token);
  const forget = (): void => void kept.delete(source);
  token.then(() => setTimeout(forget, TOKEN_KEPT_MS).unref(), forget);
  return token;
}

async function fetchToken(source: TokenSource): Promise<string> {
  const text = await (source.from === 'url'
    ? ofServer(source)
    : source.from === 'msk'
      ? ofSigner(source)
      : ofCommand(source));
  if (!TOKEN_FORM.test(text)) throw denied(`what ${NAMES[source.from]} gives is not a token`);
  return text;
}

const NAMES = { command: 'the token_command', url: 'the token_url', msk: 'the signer of MSK' } as const;

async function ofCommand({ command }: TokenSource & { from: 'command' }): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, { timeout: WITHIN_MS, maxBuffer: MOST_BYTES });
    return stdout.trim();
  } catch (error) {
    // What it printed may be a token, and stands in the error's text.
    const { code, signal } = error as { code?: number | string; signal?: string };
    throw new KafkaFault(UNREACHABLE, `${NAMES.command} failed: ${signal ?? code}`);
  }
}

async function ofServer({ url, clientId, secret, scope }: TokenSource & { from: 'url' }): Promise<string> {
  const credentials = [clientId, secret].map(encodeURIComponent).join(':');
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  let status: number;
  let text: string;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, accept: 'application/json' },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    status = answer.status;
    text = await readAtMost(answer);
  } catch (error) {
    throw new KafkaFault(UNREACHABLE, `${NAMES.url} gives no answer: ${reasonOf(error)}`);
  }
  if (status === 400 || status === 401 || status === 403) throw denied(`${NAMES.url} refuses this client (${status})`);
  if (status !== 200) throw new KafkaFault(UNREACHABLE, `${NAMES.url} answers ${status}`);
  return tokenIn(text);
}

async function readAtMost({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function tokenIn(answer: string): string {
  try {
    const { access_token: token } = JSON.parse(answer) as { access_token?: unknown };
    return typeof token === 'string' ? token : '';
  } catch {
    return '';
  }
}

interface Signer {
  readonly generateAuthToken: (options: { readonly region: string }) => Promise<{ readonly token: string }>;
}

/** Not among the dependencies: it brings a hundred packages that few installations need. */
const SIGNER: string = 'aws-msk-iam-sasl-signer-js';

async function ofSigner({ region }: TokenSource & { from: 'msk' }): Promise<string> {
  const signer = (await import(SIGNER).catch((cause: unknown) => {
    throw denied(`sasl=msk-iam needs the package ${SIGNER}: ${reasonOf(cause)}`);
  })) as Signer;
  try {
    return (await signer.generateAuthToken({ region })).token;
  } catch (cause) {
    throw new KafkaFault(UNREACHABLE, `${NAMES.msk} made no token: ${reasonOf(cause)}`);
  }
}

function denied(why: string): KafkaFault {
  return new KafkaFault(KAFKA.SASL_AUTHENTICATION_FAILED, why);
}
