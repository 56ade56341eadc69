import {
  annotations,
  type Backup,
  backupType,
  type DataUpload,
  dataUploadType,
  deleteBackupRequestType,
  labels,
  persistentVolumeClaimType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { podName, podShell, waitForPod } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { systemClock } from '@lateen/kernel';
import type { KubeObject, ObjectKey, ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { createDevicePod } from '../environment/device-pod.ts';
import { aDataDownload, createDownload } from '../environment/movement-of.ts';

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
/** For one step: a pod, a movement. */
const stepMs = 180_000;
const claim = 'disk';

type Ports = Pick<RunningLateen, 'kube' | 'kubeconfig' | 'kubectl' | 'veleroNamespace' | 'image'>;

/** A raw block volume of a pod, which is backed up again and again with `KeepBaseSnapshot`. */
export class RawDisk {
  readonly #ports: Ports;
  readonly #of: DriverUnderTest;
  readonly #namespace: string;

  private constructor(ports: Ports, of: DriverUnderTest, namespace: string) {
    [this.#ports, this.#of, this.#namespace] = [ports, of, namespace];
  }

  static async create(ports: Ports, of: DriverUnderTest, namespace: string): Promise<RawDisk> {
    const disk = new RawDisk(ports, of, namespace);
    await disk.#createPod(namespace, false);
    await disk.#podRuns(namespace);
    return disk;
  }

  /** Runs a script in the pod of a namespace; the device is `/dev/disk`. */
  async sh(script: string, namespace = this.#namespace): Promise<string> {
    const signal = systemClock.deadline(stepMs);
    return await podShell({ ...this.#ports, namespace, pod: podName, signal }).run(['sh', '-euc', script]);
  }

  /** SHA-256 of every byte. */
  async sum(namespace = this.#namespace): Promise<string> {
    return (await this.sh('sha256sum < /dev/disk', namespace)).slice(0, 64);
  }

  /** The DataUpload of a Backup that keeps the snapshots of its volumes. */
  async upload(name: string): Promise<DataUpload> {
    const { kube, veleroNamespace: namespace } = this.#ports;
    const { driver, snapshotClass } = this.#of;
    const backup: Backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: {
        namespace,
        name,
        annotations: {
          [annotations.dataMoverConfig]: 'KeepBaseSnapshot=true',
          [`${annotations.csiVolumeSnapshotClass}_${driver}`]: snapshotClass,
        },
      },
      spec: { includedNamespaces: [this.#namespace], snapshotMoveData: true, storageLocation: 'default' },
    };
    await kube.create(backupType, backup);
    const { status } = await this.#until(
      backupType,
      { namespace, name },
      // One that is refused has no time of completion.
      (seen) => seen?.status?.completionTimestamp !== undefined || seen?.status?.phase === 'FailedValidation',
    );
    if (status?.phase !== 'Completed') throw new Error(`backup ${name} is ${status?.phase}`);
    const { items } = await kube.list(dataUploadType, { namespace, labelSelector: `${labels.backupName}=${name}` });
    const [upload, ...others] = items;
    if (upload === undefined || others.length > 0) throw new Error(`backup ${name} has ${items.length} DataUploads`);
    return upload;
  }

  /** Deletes a backup with all that was stored of it. */
  async deleteBackup(name: string): Promise<void> {
    const { kube, veleroNamespace: namespace } = this.#ports;
    await kube.create(deleteBackupRequestType, {
      apiVersion: 'velero.io/v1',
      kind: 'DeleteBackupRequest',
      metadata: { namespace, name },
      spec: { backupName: name },
    });
    await this.#until(backupType, { namespace, name }, (seen) => seen === undefined);
  }

  /** SHA-256 of every byte of a new volume into which a snapshot of the repository was restored. */
  async restoredSum(snapshotID: string, namespace: string): Promise<string> {
    const targetVolume = { pvc: claim, pv: '', namespace };
    await this.#createPod(namespace, true);
    const spec = { snapshotID, sourceNamespace: this.#namespace, targetVolume };
    const { status } = await createDownload(
      this.#ports.kube,
      aDataDownload(this.#ports.veleroNamespace, namespace, spec),
    );
    if (status?.phase !== 'Completed')
      throw new Error(`the restore of ${snapshotID} is ${status?.phase}: ${status?.message}`);
    await this.#podRuns(namespace);
    return await this.sum(namespace);
  }

  /** The snapshots of this volume that were kept, by name. */
  async keptSnapshots(): Promise<string[]> {
    const { kube, veleroNamespace } = this.#ports;
    const { metadata } = await kube.get(persistentVolumeClaimType, { namespace: this.#namespace, name: claim });
    const labelSelector = `${labels.baseOf}=${metadata.uid}`;
    const { items } = await kube.list(volumeSnapshotType, { namespace: veleroNamespace, labelSelector });
    return items.map((each) => each.metadata.name ?? '');
  }

  async #until<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    holds: (seen: T | undefined) => boolean,
  ): Promise<T> {
    const signal = systemClock.deadline(stepMs);
    return await waitForObject<T, T>({
      api: this.#ports.kube,
      type,
      key,
      clock: systemClock,
      signal,
      until: (seen) => (holds(seen) ? (seen ?? ({} as T)) : undefined),
    });
  }

  async #createPod(namespace: string, isRestored: boolean): Promise<void> {
    const { storageClass } = this.#of;
    const volumes = { [claim]: diskBytes };
    await createDevicePod(this.#ports.kube, { ...this.#ports, namespace, storageClass, volumes, isRestored });
  }

  async #podRuns(namespace: string): Promise<void> {
    await waitForPod(this.#ports.kube, namespace, systemClock, systemClock.deadline(stepMs));
  }
}
