import { describe, expect, test } from 'vitest';
import { keyIn } from '../../services/http/access/authenticate.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the key of a request', () => {
  test.each([
    [{ api_key: 'KEY' }],
    [{ service_key: 'KEY' }],
    [{ 'x-api-key': 'KEY' }],
    [{ authorization: 'Bearer KEY' }],
    [{ authorization: 'bearer   KEY ' }],
    [{ authorization: basic('KEY:') }],
    [{ authorization: basic('KEY') }],
    [{ authorization: basic('KEY:ignored:password') }],
    [{ api_key: 'KEY', authorization: 'Bearer OTHER' }],
  ])('the key of a request is found in %o', (headers) => {
    expect(keyIn(headers)).toBe('KEY');
  });

  test.each([
    [{}],
    [{ api_key: '' }],
    [{ authorization: 'KEY' }],
    [{ authorization: 'Digest KEY' }],
    [{ authorization: 'Bearer ' }],
    [{ authorization: 'Bearer two words' }],
    [{ authorization: basic(':KEY') }],
    [{ authorization: 'Basic %%%' }],
    [{ api_key: 'K'.repeat(513) }],
  ])('the key of a request is not found in %o', (headers) => {
    expect(keyIn(headers)).toBeUndefined();
  });
});
