import type { DataUploadSpec, PersistentVolumeClaim } from '@lateen/api-types';

export interface UploadFacts {
  claim: PersistentVolumeClaim;
  /** Name of the VolumeSnapshot, in the namespace of the claim. */
  snapshot: string;
  /** Name of its class; absent for one that was taken out of a group. */
  snapshotClass?: string | undefined;
  storageClass: string;
  driver: string;
  storageLocation: string;
  /** As in the API: `10m0s`. */
  operationTimeout: string;
  dataMover?: string | undefined;
  dataMoverConfig?: Readonly<Record<string, string>>;
  parentSnapshot?: string;
}

/** What a DataUpload of a snapshot says (data-movement.md section 2). */
export function uploadSpec(facts: UploadFacts): DataUploadSpec {
  const { claim, snapshotClass, dataMover, dataMoverConfig = {} } = facts;
  return {
    snapshotType: 'CSI',
    csiSnapshot: {
      volumeSnapshot: facts.snapshot,
      storageClass: facts.storageClass,
      ...(snapshotClass ? { snapshotClass } : {}),
      driver: facts.driver,
    },
    sourcePVC: claim.metadata.name ?? '',
    sourceNamespace: claim.metadata.namespace ?? '',
    ...(dataMover ? { datamover: dataMover } : {}),
    backupStorageLocation: facts.storageLocation,
    operationTimeout: facts.operationTimeout,
    ...(Object.keys(dataMoverConfig).length === 0 ? {} : { dataMoverConfig: { ...dataMoverConfig } }),
    ...(facts.parentSnapshot === undefined ? {} : { parentSnapshot: facts.parentSnapshot }),
  };
}
