import { describe, expect, test } from 'vitest';
import { validateAddEvent, validateProjectUser } from '../../services/messages/validate.ts';
import { bodyOf, pathsOf, traitsOf } from '../support/http/bodies.ts';

const key = '0123456789abcdef'.repeat(4);

describe('project-user', () => {
  test('becomes a draft', () => {
    const body =
      '{"user_id":"u","anonymous":false,"custom_parameters":{"a":1e400},"message_id":"m","timestamp":"never"}';

    expect(validateProjectUser(bodyOf(body))).toEqual({
      ok: true,
      draft: { userId: 'u', anonymous: false, traits: '{"a":1e400}', messageId: 'm' },
    });
  });

  test('needs no more than a user and whether they are anonymous', () => {
    expect(validateProjectUser(bodyOf({ user_id: 'u', anonymous: true }))).toEqual({
      ok: true,
      draft: { userId: 'u', anonymous: true, traits: '{}', messageId: null },
    });
  });

  test.each([
    [{}, ['/anonymous', '/user_id']],
    [{ userId: 'u', anonymous: true }, ['/user_id']],
    [{ user_id: 5, anonymous: 'no' }, ['/anonymous', '/user_id']],
    [{ user_id: 'u', anonymous: null, custom_parameters: null }, ['/anonymous', '/custom_parameters']],
    ['{"user_id":"u","anonymous":1e400,"custom_parameters":1e400}', ['/anonymous', '/custom_parameters']],
    [{ user_id: 'u', anonymous: true, message_id: 'x'.repeat(129) }, ['/message_id']],
    ['[]', ['']],
  ])('%j is refused at %j', (content, paths) => {
    expect(pathsOf(validateProjectUser(bodyOf(content)))).toEqual(paths);
  });
});

test('project-user sets at most 10,000 traits', () => {
  const wide = { user_id: 'u', anonymous: true, custom_parameters: traitsOf(10_001) };

  expect(pathsOf(validateProjectUser(bodyOf(wide)))).toEqual(['/custom_parameters']);
});

describe('add-event', () => {
  test('becomes a draft', () => {
    const body = `{"user_id":"${key}","session_id":"s","event":{"name":"e","parameters":{"a":12345678901234567890}}}`;

    expect(validateAddEvent(bodyOf(body))).toEqual({
      ok: true,
      draft: { userKey: key, sessionId: 's', event: 'e', properties: '{"a":12345678901234567890}', messageId: null },
    });
  });

  test.each([
    [{}, ['/event', '/session_id', '/user_id']],
    [{ user_id: 'u', session_id: '', event: {} }, ['/event/name', '/session_id', '/user_id']],
    [{ user_id: key.toUpperCase(), session_id: 's', event: { name: 'e' } }, ['/user_id']],
    [{ user_id: `${key}\n`, session_id: 's', event: { name: 'e' } }, ['/user_id']],
    [{ user_id: key, session_id: 5, event: null }, ['/event', '/session_id']],
    [{ user_id: key, session_id: 's', event: 'e' }, ['/event']],
    [{ user_id: key, session_id: 's', event: { name: '', parameters: [] } }, ['/event/name', '/event/parameters']],
    [`{"user_id":"${key}","session_id":"s","event":1e400}`, ['/event']],
    [`{"user_id":"${key}","session_id":"s","event":{"name":"e","parameters":1e400}}`, ['/event/parameters']],
    [{ user_id: key, session_id: 's', event: { name: 'e' }, message_id: null }, ['/message_id']],
  ])('%j is refused at %j', (content, paths) => {
    expect(pathsOf(validateAddEvent(bodyOf(content)))).toEqual(paths);
  });
});
