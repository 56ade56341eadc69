import { fileURLToPath } from 'node:url';
import {
  annotations,
  type Backup,
  backupType,
  type DataUpload,
  dataUploadType,
  deleteBackupRequestType,
  labels,
  persistentVolumeClaimType,
  snapshotMetadataServiceTypes,
  volumeSnapshotType,
} from '@lateen/api-types';
import { podName, podShell, waitForPod } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { systemClock } from '@lateen/kernel';
import { type KubeObject, type ObjectKey, type ResourceType, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { aDataDownload, createDownload } from '../environment/movement-of.ts';

/** What of a running Lateen these tests use. */
export type ClusterPorts = Pick<RunningLateen, 'kube' | 'kubeconfig' | 'kubectl' | 'veleroNamespace' | 'image'>;

/** For one step: a pod, a movement. */
export const stepMs = 180_000;

/** Kubelet mounts the certificate of the nodes within two minutes after the installation. */
export const announcedMs = 180_000;
const keptMs = 60_000;

/** Waits until a driver can be asked for changed blocks: on every node, where `isReady` tells that. */
export async function untilAnnounced(
  { kube }: Pick<ClusterPorts, 'kube'>,
  { driver, isReady }: { driver: string; isReady?(): Promise<boolean> },
): Promise<void> {
  const signal = systemClock.deadline(announcedMs);
  const areAnnounced = async () => {
    const read = snapshotMetadataServiceTypes.map((type) => readObject(kube, type, { name: driver }, signal));
    expect((await Promise.all(read)).some((each) => each !== undefined)).toBe(true);
    expect(await isReady?.()).not.toBe(false);
  };
  await vi.waitFor(areAnnounced, { timeout: announcedMs, interval: 500 });
}

/** How much an upload has read and sent, and why it was everything. */
export const whatWasRead = ({ status }: DataUpload) => ({
  phase: status?.phase,
  message: status?.message,
  ...status?.changedBlocks,
});

const lateenProgram = fileURLToPath(new URL('../../../../apps/cli/src/main.ts', import.meta.url));

/** What `lateen volume verify` prints of an upload. @throws with what it complains about */
export async function verified(
  { kubeconfig, veleroNamespace }: Pick<ClusterPorts, 'kubeconfig' | 'veleroNamespace'>,
  upload: DataUpload | undefined,
  ...flags: readonly string[]
): Promise<unknown> {
  const words = ['volume', 'verify', `upload/${upload?.metadata.name}`, ...flags, '-o', 'json'];
  const global = ['--kubeconfig', kubeconfig, '-n', veleroNamespace];
  const { stdout } = await execa(process.execPath, [lateenProgram, ...words, ...global]);
  return JSON.parse(stdout);
}

/** Of which driver the volumes are, and what the data mover is told beside `KeepBaseSnapshot`. */
export interface BackupsOf {
  driver: string;
  snapshotClass: string;
  moverConfig?: Readonly<Record<string, string>>;
}

/** Backups of the volumes of one namespace, each of which keeps its snapshots. */
export class KeptBackups {
  readonly #ports: ClusterPorts;
  readonly #of: BackupsOf;
  readonly #namespace: string;

  constructor(ports: ClusterPorts, of: BackupsOf, namespace: string) {
    [this.#ports, this.#of, this.#namespace] = [ports, of, namespace];
  }

  /** The DataUploads of a Backup, by the name of their claim. */
  async make(name: string): Promise<DataUpload[]> {
    const { kube, veleroNamespace: namespace } = this.#ports;
    const { driver, snapshotClass, moverConfig } = this.#of;
    const config = Object.entries({ KeepBaseSnapshot: 'true', ...moverConfig });
    const backup: Backup = {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: {
        namespace,
        name,
        annotations: {
          [annotations.dataMoverConfig]: config.map(([key, value]) => `${key}=${value}`).join(','),
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
    return items.toSorted((a, b) => (a.spec.sourcePVC ?? '').localeCompare(b.spec.sourcePVC ?? ''));
  }

  /** Deletes a backup with all that was stored of it. */
  async delete(name: string): Promise<void> {
    const { kube, veleroNamespace: namespace } = this.#ports;
    await kube.create(deleteBackupRequestType, {
      apiVersion: 'velero.io/v1',
      kind: 'DeleteBackupRequest',
      metadata: { namespace, name },
      spec: { backupName: name },
    });
    await this.#until(backupType, { namespace, name }, (seen) => seen === undefined);
  }

  /** Restores what an upload has stored into a claim of the same name in another namespace. */
  async restore({ spec, status }: DataUpload, namespace: string): Promise<void> {
    const { kube, veleroNamespace } = this.#ports;
    const pvc = spec.sourcePVC ?? '';
    const { snapshotID = '' } = status ?? {};
    const wanted = { snapshotID, sourceNamespace: this.#namespace, targetVolume: { pvc, pv: '', namespace } };
    const ended = await createDownload(kube, aDataDownload(veleroNamespace, `${namespace}-${pvc}`, wanted));
    if (ended.status?.phase !== 'Completed')
      throw new Error(`the restore of ${snapshotID} is ${ended.status?.phase}: ${ended.status?.message}`);
  }

  /** Waits until these are the kept snapshots of a claim: one is noted as kept after its upload is Completed. */
  async untilKept(claim: string, names: readonly string[]): Promise<void> {
    const areKept = async () => expect(await this.keptSnapshots(claim)).toEqual(names);
    await vi.waitFor(areKept, { timeout: keptMs, interval: 250 });
  }

  /** Deletes the kept snapshots of a claim, as a person may do. */
  async deleteKept(claim: string): Promise<void> {
    const { kube, veleroNamespace: namespace } = this.#ports;
    for (const name of await this.keptSnapshots(claim)) await kube.delete(volumeSnapshotType, { namespace, name });
    await this.untilKept(claim, []);
  }

  /** The snapshots of a claim that were kept, by name. */
  async keptSnapshots(claim: string): Promise<string[]> {
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
}

export const untilPodRuns = ({ kube }: Pick<ClusterPorts, 'kube'>, namespace: string): Promise<unknown> =>
  waitForPod(kube, namespace, systemClock, systemClock.deadline(stepMs));

/** Runs a script in the pod of a namespace. @throws with what the shell complains about */
export async function inClaimsPod(ports: ClusterPorts, namespace: string, script: string): Promise<string> {
  const signal = systemClock.deadline(stepMs);
  return await podShell({ ...ports, namespace, pod: podName, signal }).run(['sh', '-euc', script]);
}
