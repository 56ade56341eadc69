import type { Backup, PodVolumeBackup } from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import type { ObjectStore } from '@lateen/object-store';
import type { StoreLocation } from '@lateen/storage-location';
import {
  aSecret,
  type FaultyObjectStore,
  faultyObjectStore,
  type MemoryObjectStore,
  memoryObjectStore,
} from '@lateen/testing';

export const namespace = 'velero';

export const cloudCredentials = () =>
  aSecret({
    name: 'cloud-credentials',
    namespace,
    values: { cloud: '[default]\naws_access_key_id=A\naws_secret_access_key=S\n' },
  });

export interface Bucket {
  memory: MemoryObjectStore;
  /** The store that the code under test uses. */
  faulty: FaultyObjectStore;
}

/** Buckets in memory, created when first named; all locations with the same name and bucket share one. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** Intercepts each call, for tests that let a process die. */
  readonly #around: (store: ObjectStore) => ObjectStore;

  constructor(around: (store: ObjectStore) => ObjectStore = (store) => store) {
    this.#around = around;
  }

  of(name: string): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    const memory = memoryObjectStore();
    const bucket = { memory, faulty: faultyObjectStore(memory) };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** Calls on all buckets so far. */
  get calls(): number {
    return [...this.#buckets.values()].reduce((sum, { faulty }) => sum + faulty.calls.length, 0);
  }

  keys(name: string): string[] {
    return [...this.of(name).memory.objects.keys()].sort();
  }

  readonly openStore = (location: StoreLocation): ObjectStore => {
    const { faulty } = this.of(location.bucket);
    return this.#around({ ...faulty, close: async () => {} });
  };
}

/** A backup as it is stored: metadata, and objects of its pod volumes. */
export async function storeBackup(
  { memory }: Bucket,
  backup: Backup,
  { podVolumes = [], prefix = '' }: { podVolumes?: PodVolumeBackup[]; prefix?: string } = {},
): Promise<void> {
  const store = backupStore(memory, prefix);
  await store.putBackup(backup);
  await store.putPodVolumeBackups(backup.metadata.name ?? '', podVolumes);
}

export const aStoredBackup = (
  name: string,
  parts: { status?: Partial<NonNullable<Backup['status']>>; metadata?: Backup['metadata']; spec?: Backup['spec'] } = {},
): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    namespace: 'elsewhere',
    uid: `stored-${name}`,
    resourceVersion: '77',
    creationTimestamp: '2029-12-01T00:00:00Z',
    labels: { team: 'a', 'velero.io/storage-location': 'theirs' },
    annotations: { note: 'n' },
    ...parts.metadata,
  },
  spec: { storageLocation: 'theirs', includedNamespaces: ['shop'], ttl: '720h0m0s', ...parts.spec },
  status: {
    phase: 'Completed',
    startTimestamp: '2029-12-01T00:00:00Z',
    completionTimestamp: '2029-12-01T00:01:00Z',
    expiration: '2030-12-01T00:00:00Z',
    ...parts.status,
  },
});

export const aStoredPodVolumeBackup = (name: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: {
    name,
    namespace: 'elsewhere',
    uid: `stored-${name}`,
    resourceVersion: '78',
    labels: { 'velero.io/backup-name': 'b', 'velero.io/backup-uid': 'stored-b' },
    finalizers: ['velero.io/pod-volume-finalizer'],
    ownerReferences: [{ apiVersion: 'velero.io/v1', kind: 'Backup', name: 'b', uid: 'stored-b' }],
  },
  spec: {
    node: 'n',
    pod: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' },
    volume: 'data',
    backupStorageLocation: 'theirs',
    repoIdentifier: '',
    uploaderType: 'kopia',
  },
  status: { phase: 'Completed', snapshotID: 'c'.repeat(32) },
});
