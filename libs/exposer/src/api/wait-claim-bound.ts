import { annotations, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyText, type ObjectKey } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';

/**
 * Waits, by watch, until the claim has its volume. The signal sets the time limit. For a claim with a selected node the wait also
 * ends when the provisioner removes that node: the scheduler then has to choose again, and for that it needs the pod.
 * @throws EXPOSE_CLAIM_GONE, EXPOSE_CLAIM_LOST
 */
export function waitClaimBound(
  { kube, clock, random, log }: ExposerPorts,
  key: ObjectKey,
  { selectedNode, signal }: { selectedNode: string | undefined; signal: AbortSignal },
): Promise<PersistentVolumeClaim> {
  return waitForObject({
    api: kube,
    type: persistentVolumeClaimType,
    key,
    clock,
    random,
    log,
    signal,
    until: (claim) => {
      if (claim === undefined) {
        throw new AppError('EXPOSE_CLAIM_GONE', `PersistentVolumeClaim ${keyText(key)} was deleted by somebody else`, {
          nextStep: 'Find out who deletes claims there, then start again.',
        });
      }
      if (claim.status?.phase === 'Lost') {
        throw new AppError('EXPOSE_CLAIM_LOST', `PersistentVolumeClaim ${keyText(key)} has lost its volume`, {
          nextStep: 'Find out who deletes volumes there, then start again.',
        });
      }
      const givenBack =
        selectedNode !== undefined && claim.metadata.annotations?.[annotations.selectedNode] === undefined;
      return claim.status?.phase === 'Bound' || givenBack ? claim : undefined;
    },
  });
}
