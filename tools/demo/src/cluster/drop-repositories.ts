import { backupRepositoryType, labels } from '@lateen/api-types';
import { deleteIfThere, type KubeApi } from '@lateen/kube';
import type { ObjectStore } from '@lateen/object-store';
import { emptyPrefix } from '../bucket.ts';

/** Where kopia's repository of a namespace is in the bucket of the demo. */
export const repositoryPrefix = (namespace: string): string => `kopia/${namespace}/`;

/**
 * Takes away the repositories of a namespace: first the BackupRepositories, then what the bucket has of them. One that is Ready
 * without a bucket behind it would fail whatever is done with all repositories.
 */
export async function dropRepositories(
  { kube, bucket }: { kube: KubeApi; bucket: ObjectStore | undefined },
  { veleroNamespace, namespace }: { veleroNamespace: string; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.volumeNamespace}=${namespace}`;
  const { items } = await kube.list(backupRepositoryType, { namespace: veleroNamespace, labelSelector, signal });
  for (const each of items) await deleteIfThere(kube, backupRepositoryType, each, signal);
  if (bucket !== undefined) await emptyPrefix(bucket, repositoryPrefix(namespace), signal);
}
