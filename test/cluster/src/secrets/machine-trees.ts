import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ClusterInfo, cacheDir, findLeftovers, type NodeInfo } from '@lateen/cluster';
import type { SearchedTree } from './changed-files.ts';

/** Folders in which programs of a cluster and commands of a user may leave files, on the nodes and on the host. */
export async function machineTrees(cluster: ClusterInfo, ownDirectory: string): Promise<SearchedTree[]> {
  const nodes = await Promise.all(cluster.nodes.map((node) => nodeTrees(cluster, node)));
  const controlPlane = join(dirname(dirname(cluster.auditLogDir)));
  return [
    ...nodes.flat(),
    {
      root: controlPlane,
      exempt: {
        '/var-lib/etcd': 'the store of the API server, Secrets included; what else is in it is read through the API',
      },
    },
    { root: cluster.s3.dataDir },
    ...['.cache', '.config', '.local', '.kopia'].map((name) => ({
      root: join(homedir(), name),
      exempt: ofTools(name),
    })),
    { root: '/var/tmp' },
    { root: '/dev/shm' },
    {
      root: tmpdir(),
      exempt: {
        [`${ownDirectory.slice(tmpdir().length)}/given`]:
          'files that a user gives to commands, and the accounts of the S3 server',
      },
    },
  ];
}

/** Exempts programs and images that the tools have built. */
function ofTools(name: string): Record<string, string> {
  const parent = join(homedir(), name);
  const cache = cacheDir(process.env);
  return cache.startsWith(`${parent}/`)
    ? { [cache.slice(parent.length)]: 'nothing of an installation is given to it' }
    : {};
}

/** The root as the node sees it, because its mounts are visible only there. */
async function nodeTrees(cluster: ClusterInfo, node: NodeInfo): Promise<SearchedTree[]> {
  const root = await rootOf(cluster, node);
  return [
    { root: node.logDir },
    {
      root: `${root}/run`,
      exempt: {
        '/containerd/*/rootfs': 'what was written to it is in the snapshots of containerd',
        '/netns/*': 'network namespaces, which cannot be read',
      },
    },
    {
      root: `${root}/var/lib`,
      exempt: {
        '/kubelet/pods/*/volumes/kubernetes.io~secret': 'Secrets that a pod mounts, held in memory by the kubelet',
        '/lateen-csi/*.img': 'images of volumes; those of running pods are mounted below kubelet',
      },
    },
    { root: `${root}/var/log` },
  ];
}

/** Files in the memory-backed volumes for secrets of movers, Jobs and the controller. */
export async function secretsStorage(cluster: ClusterInfo, podUids: readonly string[]): Promise<SearchedTree[]> {
  const roots = await Promise.all(cluster.nodes.map((node) => rootOf(cluster, node)));
  return roots.flatMap((root) =>
    podUids.map((uid) => ({ root: `${root}/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir/secrets` })),
  );
}

async function rootOf({ dir }: ClusterInfo, node: NodeInfo): Promise<string> {
  const all = await findLeftovers({ dir });
  const init = all.find(({ kind, name }) => kind === 'process' && name.endsWith(node.netns));
  const pid = init?.name.split(' ')[0];
  if (pid === undefined) throw new Error(`${node.name} does not run`);
  return `/proc/${pid}/root`;
}
