import { type BackupJourneyOptions, type BackupJourneyPorts, demoLabel, disksOf } from './backup-journey-options.ts';
import { dropRepositories } from './cluster/drop-repositories.ts';
import { deleteNamespace } from './cluster/workload.ts';
import { deleteDefinition } from './shop/create-shop.ts';
import { deleteDisks } from './warehouse/disks.ts';

/** Takes away what the demo itself made: namespaces, definition, restores and backups with all that is theirs, and the repository of its namespace. */
export async function cleanUpShop(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, bucket } = ports;
  // The namespaces take a while by themselves; nothing in the bucket waits for them.
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
