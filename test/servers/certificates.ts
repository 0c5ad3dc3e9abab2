import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './processes/server-process.ts';

/**
 * A certificate authority that nobody knows (`ca.pem`), a server of 127.0.0.1 and localhost (`server.pem`: certificate, then
 * key), and a client, `tidemark`.
 */
export interface Certificates {
  readonly folder: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Made by OpenSSL, valid for a day. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  await mkdir(folder, { recursive: true });
  const openssl = (...args: string[]) => runTool('openssl', args, { cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '1',
    '-subj',
    '/CN=Tidemark tests',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'names'];
  for (const [file, name] of [
    ['server', 'localhost'],
    ['client', 'tidemark'],
  ]) {
    await openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${file}.key`, '-out', `${file}.csr`);
    await openssl('x509', '-req', '-in', `${file}.csr`, ...by, '-out', `${file}.pem`);
  }
  await appendFile(join(folder, 'server.pem'), await readFile(join(folder, 'server.key')));
  const [caFile, certFile, keyFile] = ['ca.pem', 'client.pem', 'client.key'].map((file) => join(folder, file));
  return { folder, caFile: caFile!, certFile: certFile!, keyFile: keyFile! };
}
