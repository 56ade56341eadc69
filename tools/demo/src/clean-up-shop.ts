import { type BackupJourneyOptions, type BackupJourneyPorts, demoLabel, disksOf } from './backup-journey-options.ts';
import { dropRepositories } from './cluster/drop-repositories.ts';
import { deleteNamespace } from './cluster/workload.ts';
import { deleteDefinition } from './shop/create-shop.ts';
import { deleteDisks } from './warehouse/disks.ts';

/**
 * Deletes what the demo itself has created: namespaces, definition, restores and backups with their data, and the repository of its
 * namespace.
 */
export async function cleanUpShop(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, bucket } = ports;
  // Namespaces take a while to be deleted; nothing in the bucket depends on that.
  await Promise.all([
    deleteNamespace(kube, options.namespace, clock, signal),
    deleteNamespace(kube, options.restoredNamespace, clock, signal),
    deleteRuns(options, ports),
  ]);
  await Promise.all([
    deleteDefinition(ports.kubectl('default')),
    deleteDisks(ports.kubectl('default'), disksOf(options)),
  ]);
  await dropRepositories({ kube, bucket }, options, signal);
}

async function deleteRuns(options: BackupJourneyOptions, { lateen }: BackupJourneyPorts): Promise<void> {
  for (const noun of ['restore', 'backup'])
    await lateen([noun, 'delete', '--selector', demoLabel(options), '--confirm', '--wait']);
}
