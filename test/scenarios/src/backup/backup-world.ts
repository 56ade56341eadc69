import {
  type Backup,
  type BackupPhase,
  type BackupSpec,
  type BackupStatus,
  type BackupStorageLocation,
  backupType,
  eventType,
  type KubeObject,
} from '@lateen/api-types';
import {
  type BackupControllersOptions,
  type BackupSettings,
  backupSettingsDefault,
  engineLimitsDefault,
  runBackupControllers,
} from '@lateen/backup';
import { type BuiltInActions, builtInActions } from '@lateen/item-actions';
import type { Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { informer, withSpecOr } from '@lateen/kube-runtime';
import { makeLogger } from '@lateen/logging';
import { ModelCloud, ModelCredentialFiles } from '@lateen/native-snapshots/model-cloud';
import type { ObjectStore } from '@lateen/object-store';
import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  type FakeCluster,
  type FaultyObjectStore,
  fakeCluster,
  faultyObjectStore,
  letWorkRun,
  type MemoryObjectStore,
  memoryObjectStore,
  type RecordingLog,
  recordingLog,
  type ScriptedFault,
  seededRandom,
} from '@lateen/testing';
import { BucketReader } from './bucket-reader.ts';
import { discoveryOf } from './discovery-of.ts';

export const namespace = 'velero';

export const cloudCredentials = () =>
  aSecret({
    name: 'cloud-credentials',
    namespace,
    values: { cloud: '[default]\naws_access_key_id=A\naws_secret_access_key=SECRET-OF-THE-STORE\n' },
  });

export const aBackup = (name = 'nightly', spec: BackupSpec = {}, status?: BackupStatus): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace },
  spec,
  ...(status === undefined ? {} : { status }),
});

export interface BackupWorldOptions {
  /** Objects in the cluster beside the location and its Secret. */
  objects?: readonly KubeObject[];
  location?: BackupStorageLocation | null;
  settings?: Partial<BackupSettings>;
  actions?: BuiltInActions;
  /** Faults of the object store from the start; tests add more with `world.store`, and `heal` removes them. */
  faults?: readonly ScriptedFault[];
  seed?: number;
  /** False turns off the garbage collector of the API server in memory: with many objects it takes long and finds nothing. */
  garbageCollection?: boolean;
  /** A cluster with its clock that another fake made, to run the controllers on; it already has the location. */
  on?: { cluster: FakeCluster; clock: FakeClock };
}

/** Turns of the event loop that each write to the API server takes. */
const turnsMax = 1_000;

/** A controller process; `stop` ends it and resolves when no work of it is running. */
export interface Life {
  stop(): Promise<void>;
}

/** The controllers of backups on a cluster and a bucket in memory, with a clock that only the test advances. */
export class BackupWorld {
  readonly clock: FakeClock;
  readonly cluster: FakeCluster;
  readonly bucket: MemoryObjectStore = memoryObjectStore();
  /** The bucket as the controller uses it. */
  readonly store: FaultyObjectStore;
  readonly log: RecordingLog = recordingLog();
  readonly stored = new BucketReader(this.bucket);
  readonly counts = { opened: 0, closed: 0 };
  /** The cloud that has native snapshots; its provider is `model`. */
  readonly cloud = new ModelCloud();
  readonly native = { snapshotters: this.cloud, credentialFiles: new ModelCredentialFiles() };
  /** Phases that each backup has had, in order. */
  readonly #phases = new Map<string, BackupPhase[]>();
  readonly #options: BackupWorldOptions;
  readonly #stop = new AbortController();
  readonly #runs: Promise<unknown>[] = [];
  #lives = 0;
  /** Temporary files that are open; the log of a backup is one while the backup runs. */
  #writing = 0;

  constructor(options: BackupWorldOptions = {}) {
    this.#options = options;
    this.clock = options.on?.clock ?? new FakeClock();
    this.store = faultyObjectStore(this.bucket, options.faults, this.clock);
    const location = options.location === null ? [] : [options.location ?? aBackupStorageLocation()];
    this.cluster =
      options.on?.cluster ??
      fakeCluster({
        clock: this.clock,
        garbageCollection: options.garbageCollection ?? true,
        objects: [cloudCredentials(), ...location, ...(options.objects ?? [])],
      });
    this.cluster.onChange(({ object }) => {
      if (object.kind !== 'Backup') return;
      const { metadata, status } = object as unknown as Backup;
      const phases = this.#phases.get(metadata.name ?? '') ?? [];
      if (status?.phase !== undefined && status.phase !== phases.at(-1))
        this.#phases.set(metadata.name ?? '', [...phases, status.phase]);
    });
  }

  /** Starts another process, as a new leader. @param kube the API server as the process sees it */
  start(kube: KubeApi = this.cluster, more: Partial<BackupControllersOptions> = {}): Life {
    const { clock, log } = this;
    const random = this.newRandom();
    const watched = { api: kube, namespace, clock, random, log };
    const backups = informer({ ...watched, type: backupType, transform: withSpecOr<Backup>(() => ({})) });
    const options: BackupControllersOptions = {
      kube,
      namespace,
      identity: `controller-${this.#lives}`,
      clock,
      random,
      log,
      backups,
      logTo: (write) => makeLogger({ level: 'info', format: 'text', destination: { write }, clock: this.clock }),
      listAccountKey: async () => undefined,
      openStore: () => this.openStore(),
      ...this.native,
      settings: { ...backupSettingsDefault, ...this.#options.settings },
      engineLimits: engineLimitsDefault,
      discovery: discoveryOf(this.cluster),
      exec: this.cluster.podExec,
      actions: this.#options.actions ?? builtInActions({ csi: true }),
      clusterVersion: async () => ({ gitVersion: 'v1.34.1', major: '1', minor: '34' }),
      ...more,
    };
    return this.live((signal) => Promise.all([backups.run(signal), runBackupControllers(options, signal)]));
  }

  /** Starts a process of other controllers on the same cluster and bucket. */
  live(process: (signal: AbortSignal) => Promise<unknown>): Life {
    const stop = new AbortController();
    const run = process(AbortSignal.any([stop.signal, this.#stop.signal]));
    this.#runs.push(run);
    return {
      stop: async () => {
        stop.abort(new Error('the process is to stop'));
        await run;
      },
    };
  }

  /** Random source for another process. */
  newRandom(): Random {
    this.#lives += 1;
    return seededRandom((this.#options.seed ?? 1) * 1_000 + this.#lives);
  }

  /** Creates a Backup and runs everything that can run without advancing the clock. */
  async create(name: string, spec: BackupSpec = {}): Promise<void> {
    await this.cluster.create(backupType, aBackup(name, spec));
    await this.work();
  }

  backup(name: string): Backup | undefined {
    return this.cluster.find(backupType, { namespace, name });
  }

  phase(name: string): BackupPhase | undefined {
    return this.backup(name)?.status?.phase;
  }

  /** All phases of the backup that the API server has stored, in order. */
  phases(name: string): readonly BackupPhase[] {
    return this.#phases.get(name) ?? [];
  }

  /** Advances the clock until the backup is in one of the phases, and no further. */
  async until(name: string, ...phases: BackupPhase[]): Promise<Backup> {
    await this.untilTrue(() => phases.some((phase) => phase === this.phase(name)));
    const backup = this.backup(name);
    if (backup === undefined) throw new Error(`there is no backup ${name}`);
    return backup;
  }

  async untilTrue(condition: () => boolean): Promise<void> {
    const endMs = this.clock.now() + 86_400_000;
    await this.work(condition);
    while (!condition() && this.clock.nextDueInMs !== undefined && this.clock.now() < endMs) {
      await this.clock.advance(this.clock.nextDueInMs);
      await this.work(condition);
    }
    await this.cluster.settle();
  }

  /** Runs everything that can run without advancing the clock, and waits for the threads that compress files of the bucket. */
  async work(until: () => boolean = () => false): Promise<void> {
    await this.cluster.settle();
    for (let turn = 0; turn < turnsMax && this.#writing > 0 && !until(); turn += 1) await letWorkRun();
    await this.cluster.settle();
  }

  /** Reasons and messages of the Events on a backup, oldest first. */
  events(name: string): { reason: string; message: string; type: string }[] {
    return this.cluster
      .all(eventType)
      .filter(({ involvedObject }) => involvedObject.kind === 'Backup' && involvedObject.name === name)
      .map(({ reason = '', message = '', type = '' }) => ({ reason, message, type }));
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await Promise.all(this.#runs);
  }

  /** The bucket as a process opens it. */
  openStore(): ObjectStore {
    this.counts.opened += 1;
    return {
      ...this.store,
      write: async (...args) => {
        this.#writing += 1;
        try {
          await this.store.write(...args);
        } finally {
          this.#writing -= 1;
        }
      },
      close: async () => {
        this.counts.closed += 1;
      },
    };
  }
}
