import type { Unstructured } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

export interface SnapshotterCall {
  /** On abort a call rejects with the reason of the signal; what was asked for may have taken effect all the same. */
  signal: AbortSignal;
}

/** What a provider knows about one of its volumes. */
export interface SnapshotterVolumeInfo {
  /** The provider's name of the kind of volume (`gp3`); may be empty. */
  type: string;
  /** Operations per second that are reserved for it; absent where the provider does not reserve any. */
  iops?: number;
}

/**
 * Takes snapshots of the volumes of one provider and makes volumes of them, without CSI: what a VolumeSnapshotter plugin does. Names and
 * meaning of the calls are those of Velero's plugins.
 *
 * - The implementation gives every call a time limit. A call that ran out of time, or whose program ended before the answer, rejects with
 *   {@link answerLost}: it may have taken effect. Every other error says that it has not.
 * - No call is repeated by the implementation: `createSnapshot` and `createVolumeFromSnapshot` make another one each time. A program that is
 *   restarted between two calls gets the config of `init` again.
 * - Errors are `AppError`s whose message has the plugin's own words. No value of `config` is in them.
 */
export interface VolumeSnapshotter {
  /**
   * Called once, before every other call.
   * @param config `spec.config` of a VolumeSnapshotLocation; with `credentialsFile`, the path of a file, where the location has a credential.
   *   The file is there until `close`
   */
  init(config: Readonly<Record<string, string>>, call: SnapshotterCall): Promise<void>;
  /** @returns the provider's ID of the volume; undefined when the volume is not one of this provider. Makes no request */
  getVolumeID(volume: Unstructured, call: SnapshotterCall): Promise<string | undefined>;
  /** @returns the PersistentVolume, which now refers to the volume of this ID; all other fields and the forms of numbers are kept */
  setVolumeID(volume: Unstructured, volumeID: string, call: SnapshotterCall): Promise<Unstructured>;
  /** @param volumeAZ zone of the volume; empty where the PersistentVolume names none */
  getVolumeInfo(volumeID: string, volumeAZ: string, call: SnapshotterCall): Promise<SnapshotterVolumeInfo>;
  /** @returns the provider's ID of the snapshot. The snapshot may not be complete yet, but the volume may be written to again */
  createSnapshot(
    volumeID: string,
    volumeAZ: string,
    tags: Readonly<Record<string, string>>,
    call: SnapshotterCall,
  ): Promise<string>;
  /** @returns the provider's ID of the new volume, which can be mounted */
  createVolumeFromSnapshot(
    snapshotID: string,
    volume: SnapshotterVolumeInfo & { volumeAZ: string },
    call: SnapshotterCall,
  ): Promise<string>;
  /** Succeeds also when there is no such snapshot (any more). */
  deleteSnapshot(snapshotID: string, call: SnapshotterCall): Promise<void>;
  /** Ends the snapshotter: it is not called again. Never rejects; safe to repeat. */
  close(): Promise<void>;
}

/** Who has the VolumeSnapshotters: the host of plugin programs. */
export interface SnapshotterSource {
  /**
   * A snapshotter of its own for the caller, who calls `init` on it, and `close` when it is done. The config that one of them gets with `init` does not
   * reach another one, also of the same provider: locations of one provider differ in their config.
   * @param provider `spec.provider` of a VolumeSnapshotLocation; the name of a plugin, as it is or without `velero.io/`
   * @throws NO_VOLUME_SNAPSHOTTER ({@link noSnapshotter}) when no plugin offers the provider
   */
  snapshotterFor(provider: string, signal: AbortSignal): Promise<VolumeSnapshotter>;
}

/** A source without plugins. */
export const noSnapshotters: SnapshotterSource = {
  snapshotterFor: async (provider) => {
    throw noSnapshotter(provider);
  },
};

/** No plugin offers a provider. */
export const noSnapshotter = (provider: string): AppError =>
  new AppError('NO_VOLUME_SNAPSHOTTER', `no plugin offers provider ${provider}`, {
    nextStep: `Add a plugin that has a VolumeSnapshotter of that name with \`lateen plugin add IMAGE\`, or correct spec.provider of the VolumeSnapshotLocation; \`lateen plugin get\` lists what there is.`,
  });

/** The error of a call that may have taken effect. @param what the call and what it was about */
export const answerLost = (what: string, cause?: unknown): AppError =>
  new AppError('SNAPSHOTTER_ANSWER_LOST', `the answer to ${what} was lost`, {
    retry: 'later',
    ...(cause === undefined ? {} : { cause }),
  });
