import { createHash } from 'node:crypto';
import { type Backup, configMapType, labels } from '@lateen/api-types';
import { isAlreadyExists, type KubeApi, ownerReferenceTo } from '@lateen/kube';
import { forgetRequest } from './forget-request.ts';

export interface AskToForget {
  namespace: string;
  repositoryName: string;
  snapshotIDs: readonly string[];
  /** Whose snapshots they are. */
  backup: Backup;
  /** Whether the request goes with the Backup, whose deletion follows it; else it stays until it is done. */
  owned: boolean;
}

/**
 * Writes down what a repository is to forget. The name of the request, which is returned, follows from what it asks: a second attempt
 * finds the first one's. @throws KUBE_…
 */
export async function askToForget(
  kube: KubeApi,
  { namespace, repositoryName, snapshotIDs, backup, owned }: AskToForget,
  signal: AbortSignal,
): Promise<string> {
  const { uid = '' } = backup.metadata;
  const asked = JSON.stringify([uid, repositoryName, snapshotIDs]);
  const name = `forget-${createHash('sha256').update(asked).digest('hex').slice(0, 24)}`;
  const request = forgetRequest({ name, namespace, repositoryName, snapshotIDs });
  request.metadata.labels = { ...request.metadata.labels, [labels.backupUid]: uid };
  if (owned) request.metadata.ownerReferences = [ownerReferenceTo(backup)];
  await kube.create(configMapType, request, { namespace, signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  return name;
}
