import { describe, expect, test } from 'vitest';
import { WebhookAddresses } from '../../services/webhooks/addresses.ts';

const INNER = [
  '0.0.0.0',
  '10.1.2.3',
  '100.100.100.200',
  '161.26.0.10',
  '166.9.12.1',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '::168.63.129.16',
  '64:ff9b::a83f:8110',
  '64:ff9b:1::a83f:8110',
  '2002:a83f:8110::',
  '2001:0:a83f:8110::1',
  '192.0.0.192',
  '169.254.170.2',
  'fd20:ce::254',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
];

const nothing = new WebhookAddresses([]);

describe('the addresses that webhooks are sent to', () => {
  test.each(INNER)('the inner address %s is refused', (address) => {
    expect(nothing.isAllowed(address)).toBe(false);
  });

  test.each(['8.8.8.8', '172.32.0.1', '193.0.0.1', '168.63.129.17', '2606:4700::1111', '2a00:1450::8'])(
    'the public address %s is allowed, and only over TLS',
    (address) => {
      expect([nothing.isAllowed(address), nothing.isNamed(address)]).toEqual([true, false]);
    },
  );

  test('what the setting names is allowed, in every form of the address, and nothing beside it', () => {
    const some = new WebhookAddresses(['10.2.0.0/16', '::1', '192.168.7.7']);

    expect(['10.2.3.4', '::ffff:10.2.3.4', '::1', '192.168.7.7'].every((one) => some.isAllowed(one))).toBe(true);
    expect(['10.3.0.0', '::2', '192.168.7.8', '127.0.0.1'].some((one) => some.isAllowed(one))).toBe(false);
  });

  test.each([
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://127.1/',
    'https://[::1]:8443/',
    'https://[::ffff:a00:1]/',
    'https://169.254.169.254/latest/meta-data',
  ])('the URL %s is refused before anything is looked up', (url) => {
    expect(nothing.whyNot(new URL(url))).toContain('inner address');
  });

  test.each([
    ['http://8.8.8.8/', 'is not https'],
    ['ftp://example.com/', 'is not an https URL'],
    ['https://user:secret@example.com/', 'holds a name or a password'],
    ['https://example.com/#part', 'has a fragment'],
  ])('the URL %s is refused, since it %s', (url, why) => {
    expect(nothing.whyNot(new URL(url))).toContain(why);
  });

  test('a URL with a name, or of an address that is named, is taken', () => {
    const some = new WebhookAddresses(['127.0.0.0/8']);

    expect(nothing.whyNot(new URL('https://example.com:8443/hooks?key=1'))).toBeUndefined();
    expect(some.whyNot(new URL('http://127.0.0.1:9000/'))).toBeUndefined();
  });
});
