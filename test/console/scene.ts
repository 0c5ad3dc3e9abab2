/** The service with its embedded stores, a shop in one project and nothing in another, and a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { runCli } from '../../services/cli/run-cli.ts';
import { fillWithShop } from '../demo/fill.ts';
import { withOwnLog } from '../support/service/own-log.ts';
import { ServiceProcess, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { type BrowserName, openBrowser } from './browser.ts';

export const ADMIN_KEY = 'admin-key-of-the-tests-0123456789abcdef';

/** Webhooks are received on this machine. */
// A check that the service begins by itself a minute after it started would be the last one, in whose hours nothing had arrived.
const SETTINGS = {
  INITIAL_ADMIN_KEY: ADMIN_KEY,
  WEBHOOK_ALLOW: '127.0.0.0/8',
  BACKUP_EVERY: 'off',
  VERIFY_EVERY: 'off',
};

function backupDirOf(dataDir: string): string {
  return `${dataDir}-backups`;
}

interface SceneOptions {
  /** As many the shop has. */
  readonly users?: number;
  readonly seed?: number;
  readonly browser?: BrowserName;
}

interface SignedInOptions {
  /** A key of the shop's project by default. */
  readonly key?: string;
  readonly isAdmin?: boolean;
}

/** What a page said or asked that it should not have. */
const COMPLAINTS = new WeakMap<Page, string[]>();

export class Scene {
  readonly service: ServiceProcess;
  readonly browser: Browser;
  /** Keys of the project without data. */
  readonly empty: { readonly readKey: string; readonly writeKey: string };
  readonly dataDir: string;
  /** Where backups go that are begun from the console; none is made by itself. */
  readonly backupDir: string;
  readonly #contexts: BrowserContext[] = [];

  private constructor(service: ServiceProcess, browser: Browser, dataDir: string, empty: Scene['empty']) {
    this.service = service;
    this.browser = browser;
    this.dataDir = dataDir;
    this.backupDir = backupDirOf(dataDir);
    this.empty = empty;
  }

  static async open({ users = 40, seed = 7, browser: name }: SceneOptions = {}): Promise<Scene> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const [service, browser] = await Promise.all([
      ServiceProcess.start(dataDir, { ...withOwnLog(dataDir), ...SETTINGS, BACKUP_DIR: backupDirOf(dataDir) }),
      openBrowser(name),
    ]);
    const target = { url: service.url, writeKey: WRITE_KEY, readKey: ADMIN_KEY, project: 'default' };
    await Promise.all([
      fillWithShop(target, { users, seed, nowMs: Date.now() }),
      command(dataDir, ['project', 'create', 'empty']),
    ]);
    const [readKey, writeKey] = await Promise.all([makeKey(dataDir, 'read'), makeKey(dataDir, 'write')]);
    return new Scene(service, browser, dataDir, { readKey, writeKey });
  }

  get url(): string {
    return this.service.url;
  }

  /** A key of the empty project, by its id and its text. */
  async makeReadKey(): Promise<{ readonly id: string; readonly key: string }> {
    return JSON.parse(await command(this.dataDir, KEY_ARGUMENTS('read'))) as { id: string; key: string };
  }

  async revoke(keyId: string): Promise<void> {
    await command(this.dataDir, ['key', 'revoke', keyId]);
  }

  /** A page of a browser of its own, at the sign-in of this service. */
  async newPage(url = this.url): Promise<Page> {
    const page = await this.#emptyPage(url);
    await page.goto(`${url}/console/`);
    return page;
  }

  async #emptyPage(url: string): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    this.#contexts.push(context);
    // Thirty seconds are not enough where the machine has ten times as much to do as it can.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    COMPLAINTS.set(page, complaints);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) complaints.push(`asked for ${request.url()}`);
    });
    return page;
  }

  async #sessionCookie(key: string): Promise<{ url: string; name: string; value: string }> {
    const answer = await fetch(`${this.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'tidemark-console': '1', origin: this.url },
      body: JSON.stringify({ key }),
    });
    const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? [];
    return { url: this.url, name, value };
  }

  /** A page that is signed in, at this address: `#/live`. It has a session of its own, without the form. */
  async signedIn(address = '#/', options: SignedInOptions = {}): Promise<Page> {
    const page = await this.#emptyPage(this.url);
    const cookie = await this.#sessionCookie(options.isAdmin === true ? ADMIN_KEY : (options.key ?? READ_KEY));
    await page.context().addCookies([cookie]);
    await page.goto(`${this.url}/console/${address}`);
    await page.getByRole('navigation').first().waitFor();
    return page;
  }

  /** Closes what `newPage` opened. */
  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map(closeContext));
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
    await rm(this.dataDir, { recursive: true, force: true });
    await rm(this.backupDir, { recursive: true, force: true });
  }
}

/** A page may still ask when its test is done: an answer that then comes too late is no failure of the test. */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}

/** What the browser complained of on this page, and what it was asked to load from elsewhere. */
export function complaintsOf(page: Page): readonly string[] {
  return COMPLAINTS.get(page) ?? [];
}

const KEY_ARGUMENTS = (scope: string): string[] => ['key', 'create', '--project', 'empty', '--scope', scope, '--json'];

async function makeKey(dataDir: string, scope: string): Promise<string> {
  return (JSON.parse(await command(dataDir, KEY_ARGUMENTS(scope))) as { key: string }).key;
}

async function command(dataDir: string, argv: readonly string[]): Promise<string> {
  let out = '';
  let err = '';
  const { signal } = new AbortController();
  const env = { DATA_DIR: dataDir };
  const code = await runCli(argv, {
    env,
    signal,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  if (code !== 0) throw new Error(`tidemark ${argv.join(' ')} ended with ${code}: ${err}`);
  return out;
}
