import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../processes/ports.ts';
import { ServerProcess } from '../processes/server-process.ts';

const SHIPPED = join(import.meta.dirname, '../../../deploy/nginx.conf');

export interface Nginx {
  /** Where the service is below its path. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** nginx with the shipped file, over plain HTTP, before a service on this machine. */
export async function startNginx(program: string, folder: string, upstream: string): Promise<Nginx> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const shipped = (await readFile(SHIPPED, 'utf8'))
    .replace('127.0.0.1:8080', new URL(upstream).host)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_.*\n/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 256; }
http { access_log off; ${temporary.join(' ')}
${shipped}}
`,
  );
  const url = `http://127.0.0.1:${port}/tidemark`;
  const server = new ServerProcess({
    name: 'nginx',
    command: program,
    args: ['-c', file, '-p', folder],
    cwd: folder,
    log: join(folder, 'nginx.log'),
    stopSignal: 'SIGTERM',
    answers: async () => void (await fetch(url, { redirect: 'manual' })),
  });
  await server.start();
  return { url, stop: () => server.stop() };
}
