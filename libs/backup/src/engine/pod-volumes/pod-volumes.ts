import {
  claimNameOf,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  persistentVolumeClaimType,
  podVolumeBackupType,
  type Volume,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { createGenerated, keyOf, keyText, readObject } from '@lateen/kube';
import type { EngineContext, RunningBackup } from '../contract.ts';
import type { EngineLimits } from '../engine-limits.ts';
import { type Item, logFieldsOf } from '../items/item.ts';
import { type ItemRecord, placeText, type RecordedItem } from '../items/item-record.ts';
import type { Trouble } from '../items/troubles.ts';
import { asPod } from '../volumes/claim-index.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { EndInTime } from './end-in-time.ts';
import { FollowedVolumes } from './followed-volumes.ts';
import { NodeAgents } from './node-agents.ts';
import { podVolumeBackupOf } from './pod-volume-backup-of.ts';
import { PodVolumeNotes, type Refusal } from './pod-volume-notes.ts';
import { type PodVolumeOptions, podVolumeTimeout } from './pod-volume-options.ts';

export interface PodVolumesParts {
  ports: EngineContext & { limits: Pick<EngineLimits, 'callTimeoutMs'> };
  backup: RunningBackup;
  options: PodVolumeOptions;
  volumes: Volumes;
  record: Pick<ItemRecord, 'noted'>;
}

/**
 * Backs up pod volumes through the file system: creates a PodVolumeBackup for each volume when its pod is backed up, all of them in
 * flight at the same time. Their outcomes are written to the log of the backup as they arrive.
 */
export class PodVolumes {
  readonly #parts: PodVolumesParts;
  readonly #followed: FollowedVolumes;
  readonly #inTime: EndInTime;
  readonly #agents: NodeAgents;
  readonly #notes: PodVolumeNotes;
  /** Claims that a PodVolumeBackup reads or will read: a claim that several pods mount is read once. */
  readonly #claims = new Set<string>();
  /** Places of pods whose post hooks wait for their volumes. */
  readonly #held = new Set<string>();

  constructor(parts: PodVolumesParts) {
    const { ports, backup, options } = parts;
    this.#parts = parts;
    const notes = new PodVolumeNotes(ports.log);
    this.#notes = notes;
    const backupUid = backup.metadata.uid ?? '';
    this.#followed = new FollowedVolumes({ ...ports, backupUid, onEnd: (volume) => notes.ended(volume) });
    const timeout = podVolumeTimeout(backup, options, ports.log);
    this.#inTime = new EndInTime({ ...ports, followed: this.#followed, timeout });
    this.#agents = new NodeAgents(ports);
  }

  /**
   * Creates PodVolumeBackups for the volumes of a pod that need them. When one cannot be created, the log says why.
   * @param trouble the problem that an action has reported for the pod
   * @returns true when the outcome of the pod is reported later, after its volumes have ended
   * @throws the signal's reason
   */
  async take(item: Item, trouble: Trouble | undefined, signal: AbortSignal): Promise<boolean> {
    const { fsBackup, refused } = this.#parts.volumes.choiceOf(item);
    if (fsBackup.length + refused.length === 0) return false;
    const { type, namespace, name } = item;
    const recorded = { type, namespace, name };
    const pod = asPod(item.object);
    // Lists of several selectors may contain the pod twice.
    if (!this.#notes.begin(recorded, trouble)) return true;
    for (const { volume, reason } of refused) this.#refuse(recorded, pod, volume, { level: 'warn', reason });
    if (fsBackup.length === 0) return true;
    const refusal = await this.#whyNot(pod, signal);
    for (const volume of pod.spec.volumes?.filter((each) => fsBackup.includes(each.name)) ?? []) {
      if (refusal === undefined) await this.#takeOne(recorded, pod, volume, signal);
      else this.#refuse(recorded, pod, volume.name, refusal);
    }
    return true;
  }

  /** Call it before these pods (`namespace/name`) are backed up, when their post hooks have to wait until all their volumes are read. */
  hold(pods: ReadonlySet<string>): void {
    for (const pod of pods) this.#held.add(pod);
  }

  /** Resolves when the volumes of these pods are read or have failed. @throws the signal's reason */
  async untilRead(pods: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    await this.#inTime.untilEnded(({ pod }) => pods.has(placeText(pod)), signal);
  }

  /** Waits for all PodVolumeBackups and reports the outcomes of their pods. @throws the signal's reason */
  async end(signal: AbortSignal): Promise<PodVolumeBackup[]> {
    const open = this.#followed.all.filter((volume) => !volume.hasEnded).length;
    if (open > 0) this.#parts.ports.log.info({ open }, 'pod volumes are still being read');
    await this.#inTime.untilEnded(() => true, signal);
    const { all } = this.#followed;
    for (const volume of all) if (!volume.hasEnded) this.#notes.ended(volume);
    this.#notes.tellOutcomes(this.#parts.record);
    return all.map(({ object }) => object);
  }

  /** Call it when the backup has ended, in success or failure. */
  stop(): Promise<void> {
    return this.#followed.stop();
  }

  async #whyNot(pod: Pod, signal: AbortSignal): Promise<Refusal | undefined> {
    const { options, ports } = this.#parts;
    if (!options.enabled)
      return { level: 'error', reason: 'pod volumes are switched off in this installation (--use-pod-volumes=false)' };
    const { phase = 'Pending' } = pod.status ?? {};
    if (phase !== 'Running') return { level: 'warn', reason: `the pod is not running, its phase is ${phase}` };
    if (this.#inTime.isOver) return { level: 'error', reason: 'the timeout for pod volumes has passed' };
    const { nodeName = '' } = pod.spec;
    try {
      if (!(await this.#agents.runsOn(nodeName, signal)))
        return { level: 'error', reason: `daemonset pod not found in running state in node ${nodeName}` };
      await this.#followed.begin(ports.limits.callTimeoutMs, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return { level: 'error', reason: describeError(error) };
    }
  }

  async #takeOne(recorded: RecordedItem, pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> {
    const { backup, options, ports } = this.#parts;
    const claimName = claimNameOf(pod.metadata.name ?? '', volume);
    const key = claimName === undefined ? undefined : `${pod.metadata.namespace}/${claimName}`;
    const fields = { ...logFieldsOf(recorded), volume: volume.name };
    if (key !== undefined && this.#claims.has(key)) {
      ports.log.info(fields, 'pod volume is read from another pod that mounts its claim');
      return;
    }
    if (key !== undefined) this.#claims.add(key);
    try {
      const claim = claimName === undefined ? undefined : await this.#claim(pod, claimName, signal);
      const { veleroNamespace: namespace } = ports;
      const { uploaderType } = options;
      const isHeld = this.#held.has(placeText(recorded));
      const order = podVolumeBackupOf({ backup, namespace, pod, volume, claim, uploaderType, isHeld });
      this.#inTime.begin();
      const created = await createGenerated(ports, podVolumeBackupType, order, signal);
      this.#followed.add(created, recorded);
      ports.log.info({ ...fields, podVolumeBackup: keyText(keyOf(created)) }, 'pod volume is being read');
    } catch (error) {
      signal.throwIfAborted();
      if (key !== undefined) this.#claims.delete(key);
      this.#refuse(recorded, pod, volume.name, { level: 'error', reason: describeError(error) });
    }
  }

  /** @throws KUBE_… */
  async #claim(pod: Pod, name: string, signal: AbortSignal): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '' } = pod.metadata;
    const known = this.#parts.volumes.index.claim(namespace, name);
    return known ?? (await readObject(this.#parts.ports.kube, persistentVolumeClaimType, { namespace, name }, signal));
  }

  #refuse(recorded: RecordedItem, pod: Pod, volume: string, refusal: Refusal): void {
    this.#notes.refused(recorded, volume, refusal);
    this.#parts.volumes.noteRefused(pod, volume, refusal.reason);
  }
}
