import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

/** Says where a CSI driver tells which blocks of snapshots have data or have changed; named like the driver (external-snapshot-metadata). */
export interface SnapshotMetadataService extends KubeObject {
  spec: {
    /** `host:port` of the gRPC service. */
    address: string;
    /** The audience that tokens of its callers must have. */
    audience: string;
    /** Authorities of its certificate: PEM, in base64. */
    caCert: string;
  };
}

const served = (version: string) =>
  coreType<SnapshotMetadataService>(
    `cbt.storage.k8s.io/${version}`,
    'SnapshotMetadataService',
    'snapshotmetadataservices',
    false,
  );

/** The versions of the kind, the newest first; a cluster serves one of them, or none. The fields are the same. */
export const snapshotMetadataServiceTypes = [served('v1beta1'), served('v1alpha1')] as const;
