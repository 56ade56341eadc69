import { backupRepositoryType, labels } from '@lateen/api-types';
import { deleteIfThere, type KubeApi } from '@lateen/kube';
import type { ObjectStore } from '@lateen/object-store';
import { emptyPrefix } from '../bucket.ts';

/** Prefix of a namespace's kopia repository in the bucket of the demo. */
export const repositoryPrefix = (namespace: string): string => `kopia/${namespace}/`;

/**
 * Deletes the repositories of a namespace: first the BackupRepositories, then their data in the bucket. A Ready BackupRepository without
 * data would make commands for all repositories fail.
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
