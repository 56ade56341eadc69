import type { Instance, ReplicaFolder } from '@lateen/block-engine';
import {
  type LonghornNode,
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  type Orphan,
  orphanName,
  orphanParameters,
  orphanType,
  type Replica,
  storageLabels,
  storageLabelValues,
} from '@lateen/storage-types';
import { isThere } from '@lateen/volume-decisions';

export interface DiskListed {
  /** Its key in the `spec.disks` of the node. */
  readonly name: string;
  readonly uuid: string;
  readonly path: string;
  readonly folders: readonly ReplicaFolder[];
}

export interface OrphansSeen {
  readonly node: LonghornNode;
  readonly disks: readonly DiskListed[];
  readonly instances: readonly Instance[];
  readonly instanceManager: string;
  /** The replicas of the node. */
  readonly replicas: readonly Replica[];
  /** Names of all Engines and of all Replicas. */
  readonly engineNames: ReadonlySet<string>;
  readonly replicaNames: ReadonlySet<string>;
  /** Names of the existing Orphans. */
  readonly known: ReadonlySet<string>;
}

/** Orphans for folders and processes of a node without an object; existing Orphans are left out. */
export function findOrphans(seen: OrphansSeen): readonly Orphan[] {
  return [...folderOrphans(seen), ...instanceOrphans(seen)].filter(
    ({ metadata: { name = '' } }) => !seen.known.has(name),
  );
}

function folderOrphans({ node, disks, replicas }: OrphansSeen): Orphan[] {
  // The disk does not matter: checking a folder of that name twice is better than losing it.
  const wanted = new Set(replicas.map(({ spec }) => spec.dataDirectoryName));
  return disks.flatMap(({ name, uuid, path, folders }) =>
    folders
      .filter(({ directory }) => !wanted.has(directory))
      .map(({ directory }) =>
        newOrphan(node, 'replica', [nodeName(node), name, path, uuid, directory], {
          [orphanParameters.dataName]: directory,
          [orphanParameters.diskName]: name,
          [orphanParameters.diskUuid]: uuid,
          [orphanParameters.diskPath]: path,
          [orphanParameters.diskType]: 'filesystem',
        }),
      ),
  );
}

function instanceOrphans({ node, instances, instanceManager, engineNames, replicaNames }: OrphansSeen): Orphan[] {
  const isOwned = ({ kind, name }: Instance): boolean =>
    (kind !== 'engine' && kind !== 'replica') || (kind === 'engine' ? engineNames : replicaNames).has(name);
  return instances
    .filter((instance) => isThere(instance) && !isOwned(instance))
    .map(({ kind, name, uuid }) =>
      newOrphan(node, kind === 'engine' ? 'engine-instance' : 'replica-instance', [name, uuid, instanceManager, 'v1'], {
        [orphanParameters.instanceName]: name,
        [orphanParameters.instanceUuid]: uuid,
        [orphanParameters.instanceManager]: instanceManager,
      }),
    );
}

const nodeName = ({ metadata }: LonghornNode): string => metadata.name ?? '';

function newOrphan(
  node: LonghornNode,
  type: NonNullable<Orphan['spec']['orphanType']>,
  identity: readonly string[],
  parameters: Record<string, string>,
): Orphan {
  const { namespace = '' } = node.metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: orphanType.kind,
    metadata: {
      name: orphanName(identity),
      namespace,
      labels: {
        [storageLabels.component]: storageLabelValues.orphan,
        [storageLabels.managedBy]: storageLabelValues.manager,
        [storageLabels.orphanType]: type,
        [storageLabels.node]: nodeName(node),
      },
      finalizers: [longhornFinalizer],
    },
    spec: { nodeID: nodeName(node), orphanType: type, dataEngine: 'v1', parameters },
  };
}
