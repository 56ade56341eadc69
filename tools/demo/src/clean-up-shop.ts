import { backupRepositoryType, dataDownloadType, labels } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import {
  type BackupJourneyOptions,
  type BackupJourneyPorts,
  backupLabel,
  repositoryPrefix,
} from './backup-journey-options.ts';
import { downloadName } from './bring-back.ts';
import { emptyPrefix } from './bucket.ts';
import { deleteNamespace, pvcName } from './cluster/workload.ts';
import { ignoreNotFound } from './journey.ts';
import { databaseClaim, deleteDefinition } from './shop/create-shop.ts';

/** Takes away what the demo itself made: namespaces, definition, backups with all that is theirs, and the repository of its namespace. */
export async function cleanUpShop(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, bucket } = ports;
  const { veleroNamespace: namespace } = options;
  await Promise.all([
    deleteNamespace(kube, options.namespace, clock, signal),
    deleteNamespace(kube, options.restoredNamespace, clock, signal),
  ]);
  await deleteDefinition(ports.kubectl('default'));
  await ports.lateen(['backup', 'delete', '--selector', backupLabel(options), '--confirm', '--wait']);
  for (const claim of [pvcName, databaseClaim]) {
    const key = { namespace, name: downloadName(options, claim) };
    await ignoreNotFound(kube.delete(dataDownloadType, key, { signal }));
  }
  const labelSelector = `${labels.volumeNamespace}=${options.namespace}`;
  const repositories = await kube.list(backupRepositoryType, { namespace, labelSelector, signal });
  for (const each of repositories.items)
    await ignoreNotFound(kube.delete(backupRepositoryType, keyOf(each), { signal }));
  if (bucket !== undefined) await emptyPrefix(bucket, repositoryPrefix(options), signal);
}
