import { type VolumeSnapshotLocation, volumeSnapshotLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import type { CredentialFiles } from './credential-files.ts';
import { type LocationConfig, locationConfig } from './location-config.ts';
import type { SnapshotterSource, VolumeSnapshotter } from './volume-snapshotter.ts';

/** What backup, restore and deletion need for native snapshots. */
export interface SnapshotterPorts {
  snapshotters: SnapshotterSource;
  credentialFiles: CredentialFiles;
}

export interface OpenSnapshottersPorts extends SnapshotterPorts {
  kube: KubeApi;
  /** Namespace of the installation. */
  namespace: string;
}

interface Opened {
  snapshotter: VolumeSnapshotter;
  files: LocationConfig;
}

/**
 * The snapshotters of the locations that one piece of work asks for, each opened once. One that cannot be opened is not tried again: with
 * a plugin that hangs, each of a thousand volumes would wait for it.
 */
export class OpenSnapshotters {
  readonly #ports: OpenSnapshottersPorts;
  readonly #opened = new Map<string, Promise<Opened>>();

  constructor(ports: OpenSnapshottersPorts) {
    this.#ports = ports;
  }

  /** @throws NO_VOLUME_SNAPSHOTTER, SNAPSHOT_LOCATION_NOT_OPENED, the signal's reason */
  async of(location: VolumeSnapshotLocation, signal: AbortSignal): Promise<VolumeSnapshotter> {
    const name = location.metadata.name ?? '';
    return await this.#once(name, () => this.#open(location, signal));
  }

  /** @throws also SNAPSHOT_LOCATION_NOT_FOUND */
  async named(name: string, signal: AbortSignal): Promise<VolumeSnapshotter> {
    return await this.#once(name, async () => {
      const key = { namespace: this.#ports.namespace, name };
      const location = await readObject(this.#ports.kube, volumeSnapshotLocationType, key, signal);
      if (location === undefined) throw locationNotFound(name);
      return await this.#open(location, signal);
    });
  }

  /** Call it when none of them is called any more. Never rejects; safe to repeat. */
  async close(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.allSettled(
      opened.map(async (each) => {
        const { snapshotter, files } = await each;
        await Promise.allSettled([snapshotter.close(), files.remove()]);
      }),
    );
  }

  async #once(name: string, open: () => Promise<Opened>): Promise<VolumeSnapshotter> {
    const known = this.#opened.get(name) ?? open();
    this.#opened.set(name, known);
    return (await known).snapshotter;
  }

  async #open(location: VolumeSnapshotLocation, signal: AbortSignal): Promise<Opened> {
    const { snapshotters } = this.#ports;
    const snapshotter = await snapshotters.snapshotterFor(location.spec.provider, signal);
    let files: LocationConfig | undefined;
    try {
      files = await locationConfig(this.#ports, location, signal);
      await snapshotter.init(files.config, { signal });
      return { snapshotter, files };
    } catch (error) {
      await Promise.allSettled([snapshotter.close(), files?.remove()]);
      signal.throwIfAborted();
      throw new AppError(
        'SNAPSHOT_LOCATION_NOT_OPENED',
        `VolumeSnapshotLocation ${location.metadata.name} cannot be used by the plugin of provider ${location.spec.provider}`,
        { cause: error, retry: 'later', nextStep: 'Correct its spec.config or its credentials.' },
      );
    }
  }
}

const locationNotFound = (name: string): AppError =>
  new AppError('SNAPSHOT_LOCATION_NOT_FOUND', `error getting volume snapshot location ${name}: it does not exist`, {
    nextStep: 'Create a VolumeSnapshotLocation of that name, for the provider that has the snapshot.',
  });
