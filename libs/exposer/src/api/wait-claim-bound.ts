import { type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyText, type ObjectKey, waitForObject } from '@lateen/kube';
import type { ExposerPorts } from '../exposer-ports.ts';

/** Waits, by watch, until the claim has its volume. The time limit is the signal's. @throws EXPOSE_CLAIM_GONE, EXPOSE_CLAIM_LOST */
export function waitClaimBound(
  { kube, clock, random, log }: ExposerPorts,
  key: ObjectKey,
  signal: AbortSignal,
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
        throw new AppError('EXPOSE_CLAIM_GONE', `PersistentVolumeClaim ${keyText(key)} was deleted by somebody else`);
      }
      if (claim.status?.phase === 'Lost') {
        throw new AppError('EXPOSE_CLAIM_LOST', `PersistentVolumeClaim ${keyText(key)} has lost its volume`);
      }
      return claim.status?.phase === 'Bound' ? claim : undefined;
    },
  });
}
