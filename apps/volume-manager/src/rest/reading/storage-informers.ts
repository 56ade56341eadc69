import type { KubeObject } from '@lateen/api-types';
import { type Clock, type Logger, type Random, settleAll } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { dropManagedFields, type Informer, informer, withSpecOr } from '@lateen/kube-runtime';
import { backupVolumeNameOf } from '@lateen/storage-types';
import {
  type KindOfVolume,
  type StorageKind,
  type StorageKinds,
  type StorageReader,
  storageKindTypes,
} from './storage-reader.ts';

/** Informers that run already, by kind; those of engines, replicas, snapshots and backups need an index `volume`. */
export type SharedInformers = { readonly [K in StorageKind]?: Informer<StorageKinds[K]> };

export interface StorageInformersOptions {
  readonly api: KubeApi;
  /** The namespace of the objects. */
  readonly namespace: string;
  /** Label selector of the managers' pods. */
  readonly managerPods: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Used instead of a second list and watch of the same objects; their owner runs them. */
  readonly shared?: SharedInformers;
}

/** A {@link StorageReader} with a list and a watch for each kind that is not shared. */
export interface StorageInformers extends StorageReader {
  /** Runs until `signal` aborts; then resolves. Call once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every first list has arrived, those of shared informers included. @throws the signal's reason */
  synced(signal: AbortSignal): Promise<void>;
}

/** Name of the index by volume. */
const byVolume = 'volume';

type Objects = Informer<KubeObject>;

export function storageInformers(options: StorageInformersOptions): StorageInformers {
  const { namespace, shared = {} } = options;
  const kinds = Object.keys(storageKindTypes) as StorageKind[];
  const own = new Map(
    kinds.filter((kind) => shared[kind] === undefined).map((kind) => [kind, informerOf(kind, options)]),
  );
  const all = new Map(kinds.map((kind) => [kind, (own.get(kind) ?? shared[kind]) as Objects]));
  const of = <K extends StorageKind>(kind: K): Informer<StorageKinds[K]> => {
    const found = all.get(kind);
    if (found === undefined) throw new RangeError(`there is no kind ${kind}`);
    return found as unknown as Informer<StorageKinds[K]>;
  };
  return {
    get: (kind, name) => of(kind).get({ namespace, name }),
    list: (kind) => of(kind).list(),
    ofVolume: (kind, volume) => of(kind).byIndex(byVolume, volume),
    onChange: (kind, changed) => of(kind).onChange(() => changed()),
    missing: () => kinds.filter((kind) => !of(kind).hasSynced),
    run: async (signal) => {
      await settleAll([...own.values()].map((each) => each.run(signal)));
    },
    synced: async (signal) => {
      await Promise.all(kinds.map((kind) => of(kind).synced(signal)));
    },
  };
}

const kindsOfVolume: readonly StorageKind[] = ['engines', 'replicas', 'snapshots', 'backups'] satisfies KindOfVolume[];
/** Kinds without spec and status. */
const withoutSpec: readonly StorageKind[] = ['settings', 'pods', 'events'];

type WithSpec = KubeObject & { spec: unknown };
const emptySpec = withSpecOr<WithSpec>(() => ({}));
const withSpec = (object: KubeObject): KubeObject => emptySpec(object as WithSpec);

function informerOf(kind: StorageKind, options: StorageInformersOptions): Objects {
  const { api, namespace, clock, random, log, managerPods } = options;
  const isOfVolume = kindsOfVolume.includes(kind);
  return informer<KubeObject>({
    api,
    type: storageKindTypes[kind],
    namespace,
    clock,
    random,
    log,
    // The API server also stores objects without a spec.
    transform: withoutSpec.includes(kind) ? dropManagedFields : withSpec,
    ...(kind === 'pods' ? { labelSelector: managerPods } : {}),
    indexers: isOfVolume ? { [byVolume]: (object) => [volumeNameOf(kind, object)].filter((name) => name !== '') } : {},
  });
}

/** Name of the volume that an object belongs to. */
function volumeNameOf(kind: StorageKind, object: KubeObject): string {
  if (kind === 'backups') return backupVolumeNameOf(object as StorageKinds['backups']);
  const { spec } = object as Partial<StorageKinds['engines' | 'snapshots']> & KubeObject;
  const { volumeName = '', volume = '' } = (spec ?? {}) as { volumeName?: string; volume?: string };
  return kind === 'snapshots' ? volume : volumeName;
}
