import type { KubeObject } from '@lateen/api-types';
import { type Clock, type Logger, type Random, settleAll } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Informer, informer } from '@lateen/kube-runtime';
import { type Backup, storageLabels } from '@lateen/storage-types';
import {
  type KindOfVolume,
  type StorageKind,
  type StorageKinds,
  type StorageReader,
  storageKindTypes,
} from './storage-reader.ts';

export interface StorageInformersOptions {
  readonly api: KubeApi;
  /** Where the objects are. */
  readonly namespace: string;
  /** Finds the pods of the managers. */
  readonly managerPods: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A {@link StorageReader} with a list and a watch of its own for each kind. */
export interface StorageInformers extends StorageReader {
  /** Runs until `signal` aborts; then resolves. Call once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every first list is in. @throws the signal's reason */
  synced(signal: AbortSignal): Promise<void>;
}

/** Name of the index by volume. */
const byVolume = 'volume';

const volumeOf: { readonly [K in KindOfVolume]: (object: StorageKinds[K]) => string } = {
  engines: ({ spec }) => spec.volumeName ?? '',
  replicas: ({ spec }) => spec.volumeName ?? '',
  snapshots: ({ spec }) => spec.volume,
  backups: ({ metadata, status }: Backup) => metadata.labels?.[storageLabels.backupVolume] ?? status?.volumeName ?? '',
};

export function storageInformers(options: StorageInformersOptions): StorageInformers {
  const kinds = Object.keys(storageKindTypes) as StorageKind[];
  const informers = new Map(kinds.map((kind) => [kind, informerOf(kind, options)]));
  const of = <K extends StorageKind>(kind: K): Informer<StorageKinds[K] & KubeObject> => {
    const found = informers.get(kind);
    if (found === undefined) throw new RangeError(`there is no kind ${kind}`);
    return found as unknown as Informer<StorageKinds[K] & KubeObject>;
  };
  const { namespace } = options;
  return {
    get: (kind, name) => of(kind).get({ namespace, name }),
    list: (kind) => of(kind).list(),
    ofVolume: (kind, volume) => of(kind).byIndex(byVolume, volume),
    onChange: (kind, changed) => of(kind).onChange(() => changed()),
    missing: () => kinds.filter((kind) => !of(kind).hasSynced),
    run: async (signal) => {
      await settleAll(kinds.map((kind) => of(kind).run(signal)));
    },
    synced: async (signal) => {
      await Promise.all(kinds.map((kind) => of(kind).synced(signal)));
    },
  };
}

function informerOf(kind: StorageKind, options: StorageInformersOptions): Informer<KubeObject> {
  const { api, namespace, clock, random, log, managerPods } = options;
  const name = volumeOf[kind as KindOfVolume] as ((object: KubeObject) => string) | undefined;
  return informer<KubeObject>({
    api,
    type: storageKindTypes[kind],
    namespace,
    clock,
    random,
    log,
    ...(kind === 'pods' ? { labelSelector: managerPods } : {}),
    indexers: name === undefined ? {} : { [byVolume]: (object) => [name(object)].filter((text) => text !== '') },
  });
}
