import { ownerReferenceTo } from '@lateen/kube';
import {
  type Engine,
  engineName,
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  type Replica,
  replicaName,
  storageAnnotations,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { pendingContent } from '../../content/content-of.ts';
import { nameOf } from '../replica-facts.ts';
import { promisedGeneration } from '../volume-facts.ts';
import type { VolumeSeen } from '../volume-seen.ts';

const apiVersion = `${longhornGroup}/${longhornVersion}`;

/**
 * The engine of a volume that has none. If there was one before, the promises of replicas show its last generation, and it is not
 * known whether it has ended.
 */
export function newEngine(seen: VolumeSeen): Engine {
  const { volume, replicas } = seen;
  const generation = Math.max(0, ...replicas.map(promisedGeneration));
  const before = {
    [storageAnnotations.generation]: String(generation),
    [storageAnnotations.starting]: 'unproved',
    [storageAnnotations.restoreRequest]: JSON.stringify({ held: 'anything', takenAt: '' }),
  };
  const { spec } = volume;
  return {
    apiVersion,
    kind: 'Engine',
    metadata: metadataOf(volume, engineName(nameOf(volume)), generation === 0 ? {} : before),
    spec: {
      ...commonSpec(volume),
      active: true,
      ...(spec.frontend === undefined ? {} : { frontend: spec.frontend }),
      replicaAddressMap: {},
      ...pendingContent(volume)?.engineSpec(seen),
      ...(spec.snapshotMaxCount === undefined ? {} : { snapshotMaxCount: spec.snapshotMaxCount }),
      ...(spec.snapshotMaxSize === undefined ? {} : { snapshotMaxSize: spec.snapshotMaxSize }),
    },
  };
}

/** A replica that is not scheduled and has no data. Its folder has its name, so a name is used only once. */
export function newReplica(volume: Volume, sizeBytes: string | undefined, uuid: string): Replica {
  const name = replicaName(nameOf(volume), uuid);
  return {
    apiVersion,
    kind: 'Replica',
    metadata: metadataOf(volume, name, {}),
    spec: {
      ...commonSpec(volume),
      ...(sizeBytes === undefined ? {} : { volumeSize: sizeBytes }),
      active: true,
      engineName: engineName(nameOf(volume)),
      dataDirectoryName: name,
      healthyAt: '',
      failedAt: '',
    },
  };
}

const metadataOf = (volume: Volume, name: string, annotations: Record<string, string>) => ({
  name,
  ...(volume.metadata.namespace === undefined ? {} : { namespace: volume.metadata.namespace }),
  labels: { [storageLabels.volume]: nameOf(volume) },
  ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  finalizers: [longhornFinalizer],
  ownerReferences: [ownerReferenceTo(volume)],
});

const commonSpec = ({ metadata, spec }: Volume) => ({
  volumeName: metadata.name ?? '',
  ...(spec.size === undefined ? {} : { volumeSize: spec.size }),
  nodeID: '',
  image: spec.image ?? '',
  desireState: 'stopped' as const,
  dataEngine: spec.dataEngine ?? ('v1' as const),
});
