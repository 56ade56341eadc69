import {
  type KubeObject,
  type Node,
  nodeType,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  type VolumeAttachment,
  volumeAttachmentType,
} from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { groupResourceText, type KubeApi, type ResourceType } from '@lateen/kube';
import { dropManagedFields, type Indexers, type Informer, informer, withSpecOr } from '@lateen/kube-runtime';
import {
  type Backup,
  type BackupTarget,
  type BackupVolume,
  backupTargetType,
  backupType,
  backupVolumeNameOf,
  backupVolumeType,
  type Engine,
  type EngineImage,
  engineImageType,
  engineType,
  type InstanceManager,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  type Orphan,
  orphanType,
  type RecurringJob,
  type Replica,
  recurringJobType,
  replicaType,
  type Setting,
  type Snapshot,
  settingType,
  snapshotType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { type PodDisruptionBudget, podDisruptionBudgetType } from '../rooms/instance-manager/pod-disruption-budget.ts';
import { sourceOf } from './clones-of.ts';
import { persistentVolumeIndexes } from './persistent-volume-indexes.ts';
import { slimClaim, slimNode } from './slim-cluster-objects.ts';
import { claimsOf, slimPod } from './slim-pod.ts';

/** A cache of each kind that the controllers use; memory is bounded by the objects that exist. An index has the name of what it finds objects by. */
export interface StorageCaches {
  /** `node`: `spec.nodeID`; `clonedFrom`: the volume of `spec.dataSource`. */
  readonly volumes: Informer<Volume>;
  /** `volume`: `spec.volumeName`; `node`: `spec.nodeID`. */
  readonly engines: Informer<Engine>;
  /** The same; `rebuilding`: the node of a replica that has to run and does not have its data yet. */
  readonly replicas: Informer<Replica>;
  /** `volume`: `spec.volume`. */
  readonly snapshots: Informer<Snapshot>;
  /** VolumeAttachments of the volume manager; `volume`: `spec.volume`. */
  readonly attachments: Informer<VolumeAttachmentObject>;
  readonly nodes: Informer<LonghornNode>;
  /** `node`: `spec.nodeID`. */
  readonly instanceManagers: Informer<InstanceManager>;
  /** `image`: `spec.image`. */
  readonly engineImages: Informer<EngineImage>;
  readonly settings: Informer<Setting>;
  /** `node`: `spec.nodeID`. */
  readonly orphans: Informer<Orphan>;
  /** `snapshot`: `spec.snapshotName`; `volume`: name of the backed-up volume. */
  readonly backups: Informer<Backup>;
  readonly backupTargets: Informer<BackupTarget>;
  /** `target`: name of the BackupTarget. */
  readonly backupVolumes: Informer<BackupVolume>;
  readonly recurringJobs: Informer<RecurringJob>;
  /** Of all namespaces; only names, labels and storage classes are kept. */
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly kubernetesNodes: Informer<Node>;
  /** VolumeAttachments of Kubernetes; `volume`: name of the PersistentVolume. */
  readonly kubernetesAttachments: Informer<VolumeAttachment>;
  /** Of all namespaces, reduced; `claim`: `namespace/name` of each PersistentVolumeClaim that they use. */
  readonly pods: Informer<Pod>;
  /** Of the namespace of the volume manager. */
  readonly budgets: Informer<PodDisruptionBudget>;
  /** For PersistentVolumes of this volume manager, `volume` is the handle and `claim` the claim as `namespace/name`; both are "" for all others. */
  readonly persistentVolumes: Informer<PersistentVolume>;
  /** The cache of a kind; undefined for a kind that has none. */
  informerOf(type: ResourceType): Pick<Informer<KubeObject>, 'get' | 'synced'> | undefined;
  /** Resolves when all caches are filled. @throws the signal's reason */
  synced(signal: AbortSignal): Promise<void>;
  /** Runs until `signal` aborts. Call once. */
  run(signal: AbortSignal): Promise<void>;
}

export interface StorageCacheOptions {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export function storageCaches({ kube, namespace, clock, random, log }: StorageCacheOptions): StorageCaches {
  const all = new Map<string, Informer<KubeObject>>();
  const base = { api: kube, clock, random, log };
  const cache: MakeCache = <T extends KubeObject>(
    type: ResourceType<T>,
    indexers: Indexers<T> = {},
    transform: (object: T) => T = dropManagedFields,
    reach: Reach = 'ours',
  ): Informer<T> => {
    const within = type.namespaced && reach === 'ours' ? { namespace } : {};
    const made = informer<T>({ ...base, type, indexers, transform, ...within });
    all.set(groupResourceText(type), made as unknown as Informer<KubeObject>);
    return made;
  };
  return {
    ...storageKinds(cache),
    ...backupKinds(cache),
    kubernetesNodes: cache(nodeType, {}, slimNode),
    claims: cache(persistentVolumeClaimType, {}, slimClaim, 'everywhere'),
    kubernetesAttachments: cache(volumeAttachmentType, {
      volume: ({ spec }) => [spec.source?.persistentVolumeName ?? ''],
    }),
    pods: cache(podType, { claim: claimsOf }, slimPod, 'everywhere'),
    budgets: cache(podDisruptionBudgetType),
    persistentVolumes: cache(persistentVolumeType, persistentVolumeIndexes),
    informerOf: (type) => all.get(groupResourceText(type)),
    synced: async (signal) => {
      await Promise.all([...all.values()].map((each) => each.synced(signal)));
    },
    run: async (signal) => {
      await Promise.all([...all.values()].map((each) => each.run(signal)));
    },
  };
}

/** For namespaced kinds: the namespace of the volume manager, or all namespaces. */
type Reach = 'ours' | 'everywhere';

type MakeCache = <T extends KubeObject>(
  type: ResourceType<T>,
  indexers?: Indexers<T>,
  transform?: (object: T) => T,
  reach?: Reach,
) => Informer<T>;

const storageKinds = (cache: MakeCache) => ({
  volumes: cache(
    volumeType,
    { node: ofNode, clonedFrom: (volume) => [sourceOf(volume)] },
    withSpecOr<Volume>(() => ({})),
  ),
  engines: cache(
    engineType,
    ofInstance,
    withSpecOr<Engine>(() => ({})),
  ),
  replicas: cache(
    replicaType,
    { ...ofInstance, rebuilding: rebuildingOn },
    withSpecOr<Replica>(() => ({})),
  ),
  snapshots: cache(
    snapshotType,
    { volume: ofVolume },
    withSpecOr<Snapshot>(() => ({ volume: '' })),
  ),
  attachments: cache(
    volumeAttachmentObjectType,
    { volume: ofVolume },
    withSpecOr<VolumeAttachmentObject>(() => ({ volume: '' })),
  ),
  nodes: cache(
    longhornNodeType,
    {},
    withSpecOr<LonghornNode>(() => ({})),
  ),
  instanceManagers: cache(
    instanceManagerType,
    { node: ofNode },
    withSpecOr<InstanceManager>(() => ({})),
  ),
  engineImages: cache(
    engineImageType,
    { image: ({ spec }) => [spec.image] },
    withSpecOr<EngineImage>(() => ({ image: '' })),
  ),
  settings: cache(settingType),
  orphans: cache(
    orphanType,
    { node: ofNode },
    withSpecOr<Orphan>(() => ({})),
  ),
});

const backupKinds = (cache: MakeCache) => ({
  backups: cache(
    backupType,
    {
      snapshot: ({ spec }) => [spec.snapshotName ?? ''],
      volume: (backup) => [backupVolumeNameOf(backup)],
    },
    withSpecOr<Backup>(() => ({})),
  ),
  backupTargets: cache(
    backupTargetType,
    {},
    withSpecOr<BackupTarget>(() => ({})),
  ),
  backupVolumes: cache(
    backupVolumeType,
    { target: ({ spec }) => [spec.backupTargetName ?? ''] },
    withSpecOr<BackupVolume>(() => ({})),
  ),
  recurringJobs: cache(
    recurringJobType,
    {},
    withSpecOr<RecurringJob>(() => ({})),
  ),
});

const ofNode = ({ spec }: { readonly spec: { readonly nodeID?: string } }): string[] => [spec.nodeID ?? ''];
const ofVolume = ({ spec }: { readonly spec: { readonly volume?: string } }): string[] => [spec.volume ?? ''];
const ofInstance = {
  node: ofNode,
  volume: ({ spec }: { readonly spec: { readonly volumeName?: string } }): string[] => [spec.volumeName ?? ''],
};

const rebuildingOn = ({ spec }: Replica): string[] =>
  spec.desireState === 'running' && (spec.healthyAt ?? '') === '' ? [spec.nodeID ?? ''] : [];
