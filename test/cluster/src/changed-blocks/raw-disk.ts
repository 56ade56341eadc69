import type { DataUpload } from '@lateen/api-types';
import { createClaimsPod, type PodClaim } from '../environment/claims-pod.ts';
import { type ClusterPorts, inClaimsPod, KeptBackups, untilPodRuns } from './kept-backups.ts';

/** A driver of ours, and what its volumes are made with. */
export interface DriverUnderTest {
  readonly driver: string;
  readonly storageClass: string;
  readonly snapshotClass: string;
  /** Whether it can be asked for changed blocks on every node; absent: once it is announced. */
  isReady?(): Promise<boolean>;
}

export const diskBytes = 256 * 1024 * 1024;
/** Splitter of an upload that keeps its snapshot: changes are whole chunks of it. */
export const chunkBytes = 4 * 1024 * 1024;
const claim = 'disk';

/** A raw block volume of a pod, which is backed up again and again with `KeepBaseSnapshot`. */
export class RawDisk {
  readonly #ports: ClusterPorts;
  readonly #claim: PodClaim;
  readonly #namespace: string;
  readonly #backups: KeptBackups;

  private constructor(ports: ClusterPorts, of: DriverUnderTest, namespace: string) {
    [this.#ports, this.#namespace] = [ports, namespace];
    this.#claim = { name: claim, storageClass: of.storageClass, volumeMode: 'Block', sizeBytes: diskBytes };
    this.#backups = new KeptBackups(ports, of, namespace);
  }

  static async create(ports: ClusterPorts, of: DriverUnderTest, namespace: string): Promise<RawDisk> {
    const disk = new RawDisk(ports, of, namespace);
    await createClaimsPod(ports, namespace, [disk.#claim]);
    await untilPodRuns(ports, namespace);
    return disk;
  }

  /** Runs a script in the pod; the device is `/dev/disk`. */
  async sh(script: string): Promise<string> {
    return await inClaimsPod(this.#ports, this.#namespace, script);
  }

  /** SHA-256 of every byte. */
  async sum(namespace = this.#namespace): Promise<string> {
    return (await inClaimsPod(this.#ports, namespace, 'sha256sum < /dev/disk')).slice(0, 64);
  }

  /** The DataUpload of a Backup that keeps the snapshots of its volumes. */
  async upload(name: string): Promise<DataUpload> {
    const [upload, ...others] = await this.#backups.make(name);
    if (upload === undefined || others.length > 0) throw new Error(`backup ${name} has not one DataUpload`);
    return upload;
  }

  /** Deletes a backup with all that was stored of it. */
  async deleteBackup(name: string): Promise<void> {
    await this.#backups.delete(name);
  }

  /** SHA-256 of every byte of a new volume into which what an upload has stored was restored. */
  async restoredSum(upload: DataUpload, namespace: string): Promise<string> {
    await createClaimsPod(this.#ports, namespace, [this.#claim], true);
    await this.#backups.restore(upload, namespace);
    await untilPodRuns(this.#ports, namespace);
    return await this.sum(namespace);
  }

  async untilKept(names: readonly string[]): Promise<void> {
    await this.#backups.untilKept(claim, names);
  }

  async deleteKept(): Promise<void> {
    await this.#backups.deleteKept(claim);
  }
}
