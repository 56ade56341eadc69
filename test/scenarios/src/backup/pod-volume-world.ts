import {
  type Pod,
  type PodVolumeBackup,
  type PodVolumeBackupStatus,
  podVolumeBackupType,
  type Volume,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import { aNamespace, aPod } from '@lateen/testing';
import { type BackupWorld, type BackupWorldOptions, namespace } from './backup-world.ts';
import type { backupWorlds } from './backup-worlds.ts';

/** A pod of the node-agent that runs on a node. */
export const anAgent = (node: string, phase: 'Running' | 'Pending' = 'Running'): Pod =>
  aPod({ name: `node-agent-${node}`, namespace, labels: { role: 'node-agent' }, nodeName: node, phase });

export const shop = [aNamespace({ name: 'shop' }), anAgent('node-1'), anAgent('node-2')];
export const ofShop = { includedNamespaces: ['shop'] };

export const claimVolume = (name: string, claimName = name): Volume => ({ name, persistentVolumeClaim: { claimName } });
export const emptyDir = (name: string): Volume => ({ name, emptyDir: {} });

/** A running pod in `shop` that mounts volumes; all are read, unless annotations say otherwise. */
export function aReadPod(
  name: string,
  volumes: readonly Volume[],
  parts: {
    node?: string;
    phase?: Pod['status'] extends infer S ? (S extends { phase?: infer P } ? P : never) : never;
  } & {
    annotations?: Record<string, string>;
    spec?: Partial<Pod['spec']>;
  } = {},
): Pod {
  const { node = 'node-1', phase = 'Running', annotations = {}, spec = {} } = parts;
  const names = volumes.map((volume) => volume.name);
  return aPod({
    name,
    namespace: 'shop',
    nodeName: node,
    phase,
    annotations: { 'backup.velero.io/backup-volumes': names.join(','), ...annotations },
    spec: {
      volumes: [...volumes],
      containers: [{ name: 'main', volumeMounts: names.map((each) => ({ name: each, mountPath: `/${each}` })) }],
      ...spec,
    },
  });
}

/** PodVolumeBackups of a world, with writes to them as node-agents make them. */
export class PodVolumePlayer {
  readonly #world: BackupWorld;

  constructor(world: BackupWorld) {
    this.#world = world;
  }

  all(): PodVolumeBackup[] {
    return this.#world.cluster.all(podVolumeBackupType, namespace);
  }

  /** `pod/volume` of each, sorted. */
  names(): string[] {
    return this.all()
      .map(({ spec }) => `${spec.pod.name}/${spec.volume}`)
      .sort();
  }

  find(name: string): PodVolumeBackup {
    const found = this.all().find(({ spec }) => `${spec.pod.name}/${spec.volume}` === name);
    if (found === undefined) throw new Error(`nobody reads ${name}, but ${this.names().join(', ')}`);
    return found;
  }

  /** Writes the status as the node-agent does. */
  async write(name: string, status: PodVolumeBackupStatus): Promise<void> {
    this.#world.cluster.change<PodVolumeBackup>(podVolumeBackupType, keyOf(this.find(name)), (object) => {
      object.status = { ...object.status, ...status };
    });
    await this.#world.work();
  }

  complete(name: string, more: PodVolumeBackupStatus = {}): Promise<void> {
    const [snapshotID, totalBytes] = [`snapshot-of-${name}`, 1024];
    return this.write(name, {
      phase: 'Completed',
      snapshotID,
      progress: { totalBytes, bytesDone: totalBytes },
      startTimestamp: '2030-01-01T00:00:01Z',
      completionTimestamp: '2030-01-01T00:00:02Z',
      ...more,
    });
  }
}

/** Worlds with two node-agents, and what a backup reports about the pods of `shop`. */
export const podVolumeWorlds =
  (worlds: ReturnType<typeof backupWorlds>) =>
  (objects: BackupWorldOptions['objects'] = [], options: BackupWorldOptions & { start?: boolean } = {}) => {
    const world = worlds.empty({ objects: [...shop, ...objects], ...options });
    if (options.start !== false) world.start();
    const { files } = world.stored;
    return {
      world,
      volumes: new PodVolumePlayer(world),
      /** Lines of the results that belong to the namespace. */
      told: async (name = 'b') => {
        const results = await files.getResults(name);
        const of = (kind: 'warnings' | 'errors') => results?.[kind].namespaces?.shop ?? [];
        return { warnings: [...of('warnings')], errors: [...of('errors')] };
      },
      /** Reasons why claims are skipped. */
      reasons: async (name = 'b') => {
        const infos = (await files.getVolumeInfo(name)) ?? [];
        const skipped = infos.filter((info) => info.skipped);
        return Object.fromEntries(skipped.map(({ pvcName, skippedReason }) => [pvcName, skippedReason]));
      },
      /** Outcomes of pods that are not BackedUp. */
      outcomes: async (name = 'b') => {
        const found = [];
        for await (const outcome of files.readItemOutcomes(name))
          if (outcome.kind === 'Pod' && outcome.outcome !== 'BackedUp') found.push(outcome);
        return found;
      },
    };
  };
