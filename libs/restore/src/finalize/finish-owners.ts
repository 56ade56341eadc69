import type { Restore } from '@lateen/api-types';
import type { RunProblem } from '@lateen/run';
import { readOwnerRules } from '../owners/owner-rules.ts';
import { putOwnersBack } from '../owners/put-owners-back.ts';
import type { RestorePorts } from '../restore-ports.ts';

/** Restores owner references when the restore requests it. Returns and throws as `finishVolumes`. */
export async function finishOwners(ports: RestorePorts, restore: Restore, signal: AbortSignal): Promise<RunProblem[]> {
  const { kube, discovery, log, restoringKube = kube } = ports;
  const reading = await readOwnerRules(ports, restore.spec.ownerRefConfigMap, signal);
  // The ConfigMap was readable when the restore started.
  if ('error' in reading)
    return [{ fields: { reason: reading.error }, message: 'Owner references could not be put back' }];
  if (reading.rules === undefined) return [];
  return await putOwnersBack({ kube: restoringKube, discovery, log }, restore, reading.rules, signal);
}
