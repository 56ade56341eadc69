import type { PersistentVolumeClaim } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { CsiRun } from './csi-run.ts';

/** The storage of a claim, from its spec. */
export interface ClaimStorage {
  claim: PersistentVolumeClaim;
  storageClass: string;
  driver: string;
}

/** @throws AppError NO_STORAGE_CLASS */
export async function storageOf(claim: PersistentVolumeClaim, run: CsiRun, signal: AbortSignal): Promise<ClaimStorage> {
  const { namespace, name } = claim.metadata;
  const storageClass = claim.spec.storageClassName ?? '';
  if (storageClass === '')
    throw new AppError('NO_STORAGE_CLASS', `Cannot snapshot PVC ${namespace}/${name}, PVC has no storage class.`, {
      nextStep: 'Only volumes of a CSI storage class can be snapshotted; a volume policy can skip this one.',
    });
  return { claim, storageClass, driver: (await run.storageClass(storageClass, signal)).provisioner };
}
