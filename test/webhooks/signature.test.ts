import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { makeSecret, signedHeaders } from '../../services/webhooks/signature.ts';

const BODY = '{"type":"audience.changed","n":12345678901234567890.10}';

function signed(secrets: readonly string[], timestampS = Math.floor(Date.now() / 1_000)): Record<string, string> {
  return { ...signedHeaders({ id: 'msg_1', timestampS, body: BODY }, secrets) };
}

describe('what is signed', () => {
  test('the library of Standard Webhooks takes a message that was signed, and no other body, id or time', () => {
    const secret = makeSecret();
    const headers = signed([secret]);
    const library = new Webhook(secret);

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(library.verify(BODY, headers)).toMatchObject({ type: 'audience.changed' });
    expect(headers['webhook-signature']).toBe(
      library.sign('msg_1', new Date(Number(headers['webhook-timestamp']) * 1_000), BODY),
    );
    expect(() => library.verify(`${BODY} `, headers)).toThrow('No matching signature');
    expect(() => library.verify(BODY, { ...headers, 'webhook-id': 'msg_2' })).toThrow('No matching signature');
    expect(() => library.verify(BODY, signed([secret], 1_700_000_000))).toThrow('too old');
  });

  test('while a secret is replaced, both the old and the new one verify, and no third', () => {
    const [fresh, old, other] = [makeSecret(), makeSecret(), makeSecret()];

    const headers = signed([fresh, old]);

    expect(new Webhook(fresh).verify(BODY, headers)).toBeDefined();
    expect(new Webhook(old).verify(BODY, headers)).toBeDefined();
    expect(() => new Webhook(other).verify(BODY, headers)).toThrow('No matching signature');
  });
});
