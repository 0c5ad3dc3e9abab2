/**
 * What `npm ci` does beside the packages: it makes an empty database, so that the first start is quick, builds the console,
 * makes the types of the OpenAPI document, and removes what nothing here needs. It never fails an installation: what is not
 * there is made by the first start, and without a build the console is a page that says how to make one.
 */
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

try {
  if (Number(process.versions.node.split('.')[0]) < NEEDED) throw new Error(`this is Node ${process.versions.node}`);
  // An older Node has no globSync, and is refused by then.
  const { globSync, rmSync } = await import('node:fs');
  const { prepareCluster } = await import('./stores/database/pglite/prepared-cluster.ts');
  await prepareCluster();
  // Node's headers, 67 MB: they are for building addons, and every addon here comes built.
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
  for (const headers of globSync('node-*/include', { cwd: packages })) {
    rmSync(`${packages}/${headers}`, { recursive: true, force: true });
  }
} catch (error) {
  process.stderr.write(`tidemark: nothing was prepared, the first start takes some seconds more: ${String(error)}\n`);
}

try {
  const { existsSync } = await import('node:fs');
  // Absent from an installation for production (`--omit=dev`), and from images, which get the finished build.
  if (existsSync(new URL('../node_modules/vite', import.meta.url))) {
    (await import('../tools/openapi-types.ts')).writeOpenApiTypes();
    const { buildConsole, isBuilt } = await import('../console/build.js');
    // The first `npx` of a checkout runs this too: a service that starts meanwhile must find the files of the console.
    if (!isBuilt()) await buildConsole();
  }
} catch (error) {
  process.stderr.write(
    `tidemark: the web console or the types of the OpenAPI document were not made: ${String(error)}\n`,
  );
}
