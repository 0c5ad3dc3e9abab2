import { rootCertificates } from 'node:tls';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseKafkaUrl } from '../../../services/event-log/kafka/url.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the URL of a log on Kafka', () => {
  test('a URL with a host alone has defaults for the rest', () => {
    expect(parseKafkaUrl('kafka://broker')).toEqual({
      brokers: ['broker:9092'],
      client: 'platformatic',
      clientId: 'tidemark',
      topicPrefix: '',
      createTopics: true,
      replicas: undefined,
    });
  });

  test('a URL may name several brokers, by address too', () => {
    expect(parseKafkaUrl('kafka://a:1,10.0.0.1:2,[::1]:3,b/').brokers).toEqual([
      'a:1',
      '10.0.0.1:2',
      '[::1]:3',
      'b:9092',
    ]);
  });

  test('a URL can name every setting', async () => {
    const url =
      `kafka://me:p%40ss%2Fw:rd@h:1?client=kafkajs&client_id=mine&tls=true&ca_file=${await caFile()}` +
      '&sasl=SCRAM-SHA-512&topic_prefix=a.&create_topics=false&replicas=2';

    expect(parseKafkaUrl(url)).toEqual({
      brokers: ['h:1'],
      client: 'kafkajs',
      clientId: 'mine',
      topicPrefix: 'a.',
      createTopics: false,
      replicas: 2,
      sasl: { mechanism: 'scram-sha-512', username: 'me', password: 'p@ss/w:rd' },
      tls: { ca },
    });
  });

  test('a URL may name where tokens come from', () => {
    expect(parseKafkaUrl('kafka://h?sasl=oauthbearer&token_command=%2Fbin%2Ftoken').sasl).toEqual({
      mechanism: 'oauthbearer',
      source: { from: 'command', command: '/bin/token' },
    });
    const url = 'https%3A%2F%2Flogin.example%2Ftoken';
    expect(parseKafkaUrl(`kafka://id:s%40@h?sasl=oauthbearer&token_url=${url}&scope=kafka`).sasl).toEqual({
      mechanism: 'oauthbearer',
      source: { from: 'url', url: 'https://login.example/token', clientId: 'id', secret: 's@', scope: 'kafka' },
    });
    expect(parseKafkaUrl('kafka://h?sasl=msk-iam&region=eu-central-1').sasl).toEqual({
      mechanism: 'oauthbearer',
      source: { from: 'msk', region: 'eu-central-1' },
    });
  });

  test('a URL with a password means PLAIN, with a file of certificates TLS', async () => {
    const settings = parseKafkaUrl(`kafka://me:secret@h?ca_file=${await caFile()}`);

    expect(settings.sasl).toEqual({ mechanism: 'plain', username: 'me', password: 'secret' });
    expect(settings.tls).toEqual({ ca });
    expect(parseKafkaUrl('kafka://h?tls=true').tls).toEqual({});
  });

  test.each([
    'kafka:',
    'kafka:h:9092',
    'kafka://',
    'kafka://:9092',
    'kafka://h:0',
    'kafka://h:65536',
    'kafka://h:x',
    'kafka://h,h:9092',
    'kafka://h,',
    'kafka://h/topic',
    'kafka://h#x',
    'kafka://h?client=rdkafka',
    'kafka://h?tls=yes',
    'kafka://h?tls=false&ca_file=package.json',
    'kafka://h?ca_file=',
    'kafka://h?sasl=plain',
    'kafka://h?sasl=oauthbearer',
    'kafka://h?sasl=oauthbearer&token_url=https%3A%2F%2Fa',
    'kafka://a:b@h?sasl=oauthbearer&token_url=ftp%3A%2F%2Fa',
    'kafka://a:b@h?sasl=oauthbearer&token_command=a',
    'kafka://a:b@h?sasl=oauthbearer&token_command=a&token_url=https%3A%2F%2Fa',
    'kafka://h?sasl=oauthbearer&token_command=a&client=kafkajs',
    'kafka://h?sasl=oauthbearer&token_command=a&region=b',
    'kafka://h?sasl=msk-iam',
    'kafka://a:b@h?token_command=a',
    'kafka://h?cert_file=package.json',
    'kafka://h?topic_prefix=a/b',
    'kafka://h?create_topics=1',
    'kafka://h?replicas=0',
    'kafka://h?tls=true&tls=true',
    'kafka://h?unheard_of=1',
  ])('the URL %j is refused', (url) => {
    expect(() => parseKafkaUrl(url)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test.each([
    'kafka://me:hunter2@',
    'kafka://me:hunter2@h:x',
    'kafka://me:hunter2@h?sasl=gssapi',
    'kafka://me:hunter2@h?unheard_of=1',
    'kafka://:hunter2@h',
    'kafka://me:hunter2%zz@h',
    'kafka://me:hunter2/@h',
    'kafka://me:hunter2@h@i',
  ])('that is refused does not give the password away: %j', (url) => {
    const refusal = refusalOf(url);

    expect(refusal.code).toBe('CONFIG_INVALID');
    expect(refusal.message).not.toContain('hunter2');
  });
});

const ca = rootCertificates[0]!;

async function caFile(): Promise<string> {
  const file = join(await temporaryFolder(), 'ca.pem');
  await writeFile(file, ca);
  return file;
}

function refusalOf(url: string): TidemarkError {
  try {
    parseKafkaUrl(url);
  } catch (error) {
    if (error instanceof TidemarkError) return error;
  }
  throw new Error('it was not refused');
}
