import { describe, expect, test } from 'vitest';
import { READ_KEY, WRITE_KEY } from '../../support/service/service.ts';
import { ADMIN_KEY, type Scene } from '../scene.ts';

interface SessionBody {
  readonly session: {
    readonly scopes: readonly string[];
    readonly projects: readonly { readonly name: string }[];
  } | null;
}

/** Sessions as HTTP has them: what the browser does with them is in the other files. */
export function testSessions(scene: () => Scene): void {
  const ours = (): Record<string, string> => ({ 'tidemark-console': '1', origin: scene().url });

  const signIn = async (key: string, headers: Record<string, string> = ours()): Promise<Response> =>
    fetch(`${scene().url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ key }),
    });

  const cookieFor = async (key: string): Promise<string> =>
    ((await signIn(key)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  const get = async (path: string, cookie: string): Promise<Response> =>
    fetch(scene().url + path, { headers: { cookie } });

  const post = async (path: string, headers: Record<string, string>): Promise<Response> => {
    const body = JSON.stringify({ definition: { trait: 'plan', is: 'pro' } });
    const type = { 'content-type': 'application/json' };
    return fetch(scene().url + path, { method: 'POST', headers: { ...type, ...headers }, body });
  };

  describe('sessions', () => {
    test('a session is in a cookie that no script and no other site has, over https only where that is used', async () => {
      const plain = await signIn(READ_KEY);
      const behindTls = await signIn(READ_KEY, { ...ours(), 'x-forwarded-proto': 'https' });

      expect(plain.status).toBe(201);
      expect(plain.headers.get('set-cookie')).toMatch(
        /^tidemark_console=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
      );
      expect(behindTls.headers.get('set-cookie')).toMatch(/; SameSite=Strict; Secure$/);
    });

    test('a session says what it opens: one project, or all of them for an admin key', async () => {
      const ofProject = (await (await signIn(READ_KEY)).json()) as SessionBody;
      const ofAdmin = (await (await get('/console/session', await cookieFor(ADMIN_KEY))).json()) as SessionBody;

      expect(ofProject.session).toMatchObject({ scopes: ['read', 'audiences'], projects: [{ name: 'default' }] });
      // Tests of other areas have made more.
      const names = ofAdmin.session?.projects.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['default', 'empty']));
      expect(await (await get('/console/session', '')).json()).toEqual({ session: null });
    });

    test('a session reads what its key reads, and a key in a header goes before it', async () => {
      const cookie = await cookieFor(READ_KEY);
      const wrong = { cookie, authorization: 'Bearer nobody-has-this-key' };

      expect((await get('/v1/users/u-00001', cookie)).status).toBe(200);
      expect((await fetch(`${scene().url}/v1/users/u-00001`, { headers: wrong })).status).toBe(401);
    });

    test('signing out ends what the session listens to', async () => {
      const cookie = await cookieFor(READ_KEY);
      const listening = await get('/v1/events/live', cookie);

      await fetch(`${scene().url}/console/session`, { method: 'DELETE', headers: { ...ours(), cookie } });

      expect([listening.status, await listening.text()]).toEqual([
        200,
        expect.stringMatching(/event: end\ndata: .*unauthorized/),
      ]);
    });

    test('a form of another site does nothing with a session: what changes or asks needs this origin and a header', async () => {
      const cookie = await cookieFor(READ_KEY);
      const path = '/v1/audiences/preview';
      const refused = [
        { cookie },
        { cookie, origin: scene().url },
        { cookie, 'tidemark-console': '1' },
        { cookie, 'tidemark-console': '1', origin: 'http://evil.example' },
        { cookie, 'tidemark-console': '1', origin: 'null' },
        { cookie, ...ours(), 'sec-fetch-site': 'same-site' },
        { cookie, ...ours(), 'sec-fetch-site': 'cross-site' },
      ];

      expect((await post(path, { cookie, ...ours() })).status).toBe(200);
      for (const headers of refused) expect((await post(path, headers)).status, JSON.stringify(headers)).toBe(401);
    });

    test('another site cannot sign anybody in or out', async () => {
      const cookie = await cookieFor(READ_KEY);
      const foreign = { 'tidemark-console': '1', origin: 'http://evil.example' };
      const out = await fetch(`${scene().url}/console/session`, { method: 'DELETE', headers: { cookie, ...foreign } });

      expect((await signIn(READ_KEY, foreign)).status).toBe(401);
      expect(out.status).toBe(401);
      expect((await get('/v1/users/u-00001', cookie)).status).toBe(200);
    });

    test('a session that was signed out is over', async () => {
      const cookie = await cookieFor(READ_KEY);
      const out = await fetch(`${scene().url}/console/session`, { method: 'DELETE', headers: { cookie, ...ours() } });

      expect(out.status).toBe(204);
      expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
      expect((await get('/v1/users/u-00001', cookie)).status).toBe(401);
    });

    test('a key that is revoked takes its sessions with it', async () => {
      const { id, key } = await scene().makeReadKey();
      const cookie = await cookieFor(key);
      expect((await get('/v1/users?anonymous_id=nobody', cookie)).status).toBe(200);

      await scene().revoke(id);

      await expect.poll(async () => (await get('/v1/users?anonymous_id=nobody', cookie)).status).toBe(401);
    });

    test('a body without a key is refused, with a pointer to it', async () => {
      const response = await signIn('');

      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid-body', errors: [{ path: '/key' }] });
    });

    test('while the service starts its page says so, and goes on by itself', async () => {
      const page = await scene().newPage();
      const starting = { code: 'unavailable', title: 'Unavailable', detail: 'This process is starting.' };
      const parts = { ready: false, parts: { ingest: 'starting', eventLog: 'starting' } };
      await page.route('**/console/session', async (route) => route.fulfill({ status: 503, json: starting }));
      await page.route('**/readyz', async (route) => route.fulfill({ status: 503, json: parts }));
      await page.reload();
      await page.getByText('Tidemark is starting…').waitFor();

      await page.unrouteAll();

      await page.getByLabel('Key').waitFor();
    });

    // The last one: what else fails from this address within a minute is 429.
    test('after ten failures within a minute a wrong key is 429, with how long to wait, and a right one enters', async () => {
      const first = await signIn(WRITE_KEY);
      expect(first.status).toBe(401);
      expect(await first.json()).toMatchObject({
        detail: expect.stringContaining('may write, but not read') as string,
      });
      let failures = 1;
      while (failures < 10 && (await signIn(`wrong-${failures}`)).status === 401) failures++;
      // A test of the sign-in page, which may have been within this minute, failed once.
      expect(failures).toBeGreaterThanOrEqual(9);

      const response = await signIn('wrong');

      expect([response.status, (await signIn(READ_KEY)).status]).toEqual([429, 201]);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });
}
