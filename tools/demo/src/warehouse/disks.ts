import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubectl } from '../shop/kubectl.ts';

export interface DisksOptions {
  /** Name of the StorageClass, and of the namespace of the pod that creates the directories. */
  className: string;
  /** Number of PersistentVolumes; the volume of a deleted claim is not released for another claim. */
  count: number;
  /** Runs a script with `sh`. */
  image: string;
}

const readyTimeout = '--timeout=120s';

/** Creates local PersistentVolumes with their own class, all on one node. May be repeated. */
export async function createDisks(kubectl: Kubectl, options: DisksOptions): Promise<void> {
  const { className, image } = options;
  const text = readFileSync(join(import.meta.dirname, 'disks.yaml'), 'utf8')
    .replaceAll('DISKS_CLASS', className)
    .replaceAll('DISKS_IMAGE', image)
    .replaceAll('DISKS_NAMES', diskNames(options).join(' '));
  await kubectl(['apply', '--namespace', className, '-f', '-'], text);
  const pod = ['--namespace', className, 'pod/disks'];
  await kubectl(['wait', '--for=condition=Ready', ...pod, readyTimeout]);
  const node = await kubectl(['get', ...pod, '-o', 'jsonpath={.spec.nodeName}']);
  const hostname = await kubectl(['get', `node/${node}`, '-o', 'jsonpath={.metadata.labels.kubernetes\\.io/hostname}']);
  const items = diskNames(options).map((name) => aDisk(className, name, hostname));
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** Deletes volumes, directories and class, which must not be in use. They may not exist. */
export async function deleteDisks(kubectl: Kubectl, options: DisksOptions): Promise<void> {
  const { className } = options;
  const volumes = diskNames(options).map((name) => `pv/${className}-${name}`);
  await kubectl(['delete', '--ignore-not-found', ...volumes]);
  const exec = ['exec', '--namespace', className, 'disks', '--', 'sh', '-c', 'rm -rf /node/*'];
  await kubectl(exec).catch(() => {});
  await kubectl(['delete', '--ignore-not-found', `namespace/${className}`, `storageclass/${className}`]);
}

const diskNames = ({ count }: DisksOptions): string[] => Array.from({ length: count }, (_, at) => `disk-${at + 1}`);

const aDisk = (className: string, name: string, hostname: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `${className}-${name}` },
  spec: {
    capacity: { storage: '64Mi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: className,
    persistentVolumeReclaimPolicy: 'Retain',
    local: { path: `/var/lib/${className}/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [hostname] }] },
        ],
      },
    },
  },
});
