import { backupRepositoryType, labels } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import {
  type BackupJourneyOptions,
  type BackupJourneyPorts,
  demoLabel,
  repositoryPrefix,
} from './backup-journey-options.ts';
import { emptyPrefix } from './bucket.ts';
import { deleteNamespace } from './cluster/workload.ts';
import { ignoreNotFound } from './journey.ts';
import { deleteDefinition } from './shop/create-shop.ts';

/** Takes away what the demo itself made: namespaces, definition, restores and backups with all that is theirs, and the repository of its namespace. */
export async function cleanUpShop(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, bucket } = ports;
  const { veleroNamespace: namespace } = options;
  // The namespaces take a while by themselves; nothing in the bucket waits for them.
  await Promise.all([
    deleteNamespace(kube, options.namespace, clock, signal),
    deleteNamespace(kube, options.restoredNamespace, clock, signal),
    deleteRuns(options, ports),
  ]);
  await deleteDefinition(ports.kubectl('default'));
  const labelSelector = `${labels.volumeNamespace}=${options.namespace}`;
  const repositories = await kube.list(backupRepositoryType, { namespace, labelSelector, signal });
  for (const each of repositories.items)
    await ignoreNotFound(kube.delete(backupRepositoryType, keyOf(each), { signal }));
  if (bucket !== undefined) await emptyPrefix(bucket, repositoryPrefix(options), signal);
}

async function deleteRuns(options: BackupJourneyOptions, { lateen }: BackupJourneyPorts): Promise<void> {
  for (const noun of ['restore', 'backup'])
    await lateen([noun, 'delete', '--selector', demoLabel(options), '--confirm', '--wait']);
}
