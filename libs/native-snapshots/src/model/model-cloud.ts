import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { CredentialFiles } from '../credential-files.ts';
import {
  answerLost,
  noSnapshotter,
  type SnapshotterCall,
  type SnapshotterSource,
  type VolumeSnapshotter,
} from '../volume-snapshotter.ts';

export interface ModelVolume {
  type: string;
  zone: string;
  iops?: number;
  /** The content of the volume. */
  content: string;
}

export interface ModelSnapshot extends ModelVolume {
  tags: Readonly<Record<string, string>>;
}

export type ModelCall = Exclude<keyof VolumeSnapshotter, 'close'>;

/** What goes wrong with one call. */
export type ModelFault =
  /** Before anything happens. */
  | { fail: unknown }
  /** The cloud carries out the call, and the answer is lost. */
  | { loseAnswer: true }
  /** The cloud does it, and the answer comes when the caller aborts, or never. */
  | { hang: true };

export interface ScriptedModelFault {
  on: ModelCall;
  /** How many calls it meets; for ever when absent. */
  times?: number;
  fault: ModelFault;
}

/**
 * A cloud with volumes and snapshots in memory, and its VolumeSnapshotters: for tests of whatever stands on the port. Its volumes are the
 * PersistentVolumes with `spec.awsElasticBlockStore.volumeID`; it takes a config with a region and no other.
 */
export class ModelCloud implements SnapshotterSource {
  readonly volumes = new Map<string, ModelVolume>();
  readonly snapshots = new Map<string, ModelSnapshot>();
  /** Every call, in order, with what it was about. */
  readonly calls: { call: ModelCall; about: string }[] = [];
  /** The configs that plugins were given. */
  readonly configs: Readonly<Record<string, string>>[] = [];
  /** Snapshotters that are open. */
  open = 0;
  readonly #provider: string;
  #faults: ScriptedModelFault[] = [];
  #made = 0;

  constructor(provider = 'model') {
    this.#provider = provider;
  }

  add(...faults: ScriptedModelFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ ...fault })));
  }

  heal(): void {
    this.#faults = [];
  }

  async snapshotterFor(provider: string): Promise<VolumeSnapshotter> {
    if (provider !== this.#provider) throw noSnapshotter(provider);
    this.open++;
    return this.#snapshotter();
  }

  #snapshotter(): VolumeSnapshotter {
    let isOpen = true;
    const answer = <T>(call: ModelCall, about: string, { signal }: SnapshotterCall, act: () => T): Promise<T> =>
      this.#answer(call, about, signal, act);
    return {
      init: (config, call) =>
        answer('init', config.region ?? '', call, () => {
          this.configs.push({ ...config });
          if (config.region === undefined) throw refused('config has no region');
        }),
      getVolumeID: (volume, call) =>
        answer('getVolumeID', volume.metadata.name ?? '', call, () => diskOf(volume)?.volumeID),
      setVolumeID: (volume, volumeID, call) =>
        answer('setVolumeID', volumeID, call, () => ({
          ...volume,
          spec: { ...(volume.spec as object), awsElasticBlockStore: { ...diskOf(volume), volumeID } },
        })),
      getVolumeInfo: (id, zone, call) =>
        answer('getVolumeInfo', id, call, () => {
          const { type, iops } = this.#volume(id, zone);
          return { type, ...(iops === undefined ? {} : { iops }) };
        }),
      createSnapshot: (id, zone, tags, call) =>
        answer('createSnapshot', id, call, () =>
          this.#put('snap', this.snapshots, { ...this.#volume(id, zone), tags }),
        ),
      createVolumeFromSnapshot: (id, { type, volumeAZ, iops }, call) =>
        answer('createVolumeFromSnapshot', id, call, () => {
          const snapshot = this.snapshots.get(id);
          if (snapshot === undefined) throw refused(`snapshot ${id} does not exist`);
          const { content } = snapshot;
          return this.#put('vol', this.volumes, {
            type,
            zone: volumeAZ,
            content,
            ...(iops === undefined ? {} : { iops }),
          });
        }),
      deleteSnapshot: (id, call) => answer('deleteSnapshot', id, call, () => void this.snapshots.delete(id)),
      close: async () => {
        if (isOpen) this.open--;
        isOpen = false;
      },
    };
  }

  async #answer<T>(call: ModelCall, about: string, signal: AbortSignal, act: () => T): Promise<T> {
    signal.throwIfAborted();
    this.calls.push({ call, about });
    const scripted = this.#faults.find(({ on, times = 1 }) => on === call && times > 0);
    if (scripted?.times !== undefined) scripted.times--;
    const fault = scripted?.fault ?? {};
    if ('fail' in fault) throw fault.fail;
    const result = act();
    if ('loseAnswer' in fault) throw answerLost(`${call} of ${about}`);
    if ('hang' in fault) await untilAborted(signal);
    return result;
  }

  #volume(id: string, zone: string): ModelVolume {
    const volume = this.volumes.get(id);
    if (volume === undefined || volume.zone !== zone) throw refused(`volume ${id} does not exist in zone ${zone}`);
    return { ...volume };
  }

  #put<T>(prefix: string, into: Map<string, T>, made: T): string {
    const id = `${prefix}-made-${++this.#made}`;
    into.set(id, made);
    return id;
  }
}

/** Files in memory. */
export class ModelCredentialFiles implements CredentialFiles {
  /** Those that are there, by path. */
  readonly files = new Map<string, string>();
  #made = 0;

  async put(text: string): ReturnType<CredentialFiles['put']> {
    const path = `/secrets/${++this.#made}`;
    this.files.set(path, text);
    return { path, remove: async () => void this.files.delete(path) };
  }
}

const refused = (message: string): AppError => new AppError('MODEL_CLOUD_REFUSED', message);

const diskOf = ({ spec }: Unstructured): { volumeID: string } | undefined =>
  (spec as { awsElasticBlockStore?: { volumeID: string } }).awsElasticBlockStore;

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
