import { type SnapshotMetadataService, snapshotMetadataServiceTypes } from '@lateen/api-types';
import type { TlsPeer } from '@lateen/grpc';
import { type KubeApi, readObject } from '@lateen/kube';
import { doubt } from '../doubt.ts';

/** Where a driver tells what has changed. */
export interface MetadataService extends TlsPeer {
  readonly driver: string;
  readonly audience: string;
}

/** The service of a CSI driver, as its SnapshotMetadataService says; undefined when there is none, or the cluster does not know the kind. */
export async function findMetadataService(
  kube: KubeApi,
  driver: string,
  signal: AbortSignal,
): Promise<MetadataService | undefined> {
  for (const type of snapshotMetadataServiceTypes) {
    const found = await readObject(kube, type, { name: driver }, signal);
    if (found !== undefined) return serviceOf(found);
  }
  return undefined;
}

/** @throws DELTA_SERVICE_WRONG */
function serviceOf({ metadata, spec }: SnapshotMetadataService): MetadataService {
  const { address, audience, caCert } = spec ?? {};
  const missing = Object.entries({ address, audience, caCert }).find(
    ([, value]) => typeof value !== 'string' || value === '',
  );
  if (missing !== undefined) {
    throw doubt('DELTA_SERVICE_WRONG', `SnapshotMetadataService ${metadata.name} has no spec.${missing[0]}`, {
      nextStep: 'Complete the object as the documentation of the driver says.',
    });
  }
  const ca = Buffer.from(caCert, 'base64').toString('utf8');
  return { driver: metadata.name ?? '', address, audience, ca };
}
