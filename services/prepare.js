/**
 * What `npm ci` makes beside the packages so that the first start is quick. It never fails an installation: what is not
 * there is made by the first start.
 */
const NEEDED = 24;

try {
  if (Number(process.versions.node.split('.')[0]) < NEEDED) throw new Error(`this is Node ${process.versions.node}`);
  const { prepareCluster } = await import('./stores/database/pglite/prepared-cluster.ts');
  await prepareCluster();
} catch (error) {
  process.stderr.write(`tidemark: nothing was prepared, the first start takes some seconds more: ${String(error)}\n`);
}
