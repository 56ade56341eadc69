import { annotations, type Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, type Logger, orAborted, SharedWrites } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { interruption, interruptionError, workedOnBy } from '@lateen/run';
import { backupKind, onLatest, writeBackup } from '../api/write-backup.ts';
import type { OpenHooks } from '../engine/contract.ts';
import { type OpenPod, openPodsOf, openPodsText } from './open-pod.ts';

export const openHookLimits = {
  /** The size limit of the annotation: half of what the API server accepts for all annotations of an object. About 1,000 pods. */
  charsMax: 128 * 1024,
  /** The time-out of one write, retries included. */
  writeMs: 30_000,
} as const;

/** The error for pods that do not fit into the annotation; the pods on the Backup stay unchanged. */
const full = (pods: readonly OpenPod[]) =>
  new AppError(
    'OPEN_HOOKS_TOO_MANY',
    `${pods.length} pods with hooks in one item block are too many for one annotation`,
    {
      nextStep: 'Give hooks to fewer of the pods that share these volumes.',
    },
  );

/**
 * Records on a Backup which pods have open hooks, for the process that takes over when this one dies. Blocks open and close pods at the
 * same time and share writes.
 */
export class OpenHookRecord implements OpenHooks {
  readonly #ports: { kube: KubeApi; clock: Clock; log: Logger };
  readonly #backup: Backup;
  /** The pods that the Backup has to record, by uid. */
  readonly #pods = new Map<string, OpenPod>();
  /** What the Backup has recorded; undefined when the answer to a write was lost. */
  #stored: string | null | undefined = null;
  readonly #writes = new SharedWrites(() => this.#write());
  #room = Promise.withResolvers<void>();

  /** @param backup the Backup as this run has claimed it */
  constructor(ports: { kube: KubeApi; clock: Clock; log: Logger }, backup: Backup) {
    this.#ports = ports;
    this.#backup = backup;
  }

  async open(pods: readonly OpenPod[], signal: AbortSignal): Promise<void> {
    if (!fits(pods)) throw full(pods);
    while (!fits([...this.#pods.values(), ...pods])) await orAborted(this.#room.promise, signal);
    for (const pod of pods) this.#pods.set(pod.uid, pod);
    await orAborted(this.#writes.sync(), signal);
  }

  async close(pods: readonly OpenPod[]): Promise<void> {
    for (const { uid } of pods) this.#pods.delete(uid);
    this.#room.resolve();
    this.#room = Promise.withResolvers();
    try {
      await this.#writes.sync();
    } catch (error) {
      const fields = { backup: this.#backup.metadata.name, err: error };
      this.#ports.log.warn(fields, 'ended hooks cannot be removed from the annotation of their backup');
    }
  }

  async #write(): Promise<void> {
    const { kube, clock } = this.#ports;
    const pods = [...this.#pods.values()];
    const text = openPodsText(pods);
    if (text === this.#stored) return;
    this.#stored = undefined;
    const signal = clock.deadline(openHookLimits.writeMs);
    const act = async (latest: Backup) => {
      const said = new Set(openPodsOf(latest).map(({ uid }) => uid));
      const why = interruption(backupKind, this.#backup, latest);
      // The run that has claimed the backup since has read the list already.
      if (why !== undefined && pods.some(({ uid }) => !said.has(uid))) throw interruptionError(backupKind, why, latest);
      if (!isOurs(this.#backup, latest)) return latest;
      return await writeBackup({ kube }, latest, { annotations: { [annotations.openHooks]: text } }, signal);
    };
    await orAborted(onLatest({ kube }, this.#backup, act, signal), signal);
    this.#stored = text;
  }
}

const fits = (pods: readonly OpenPod[]): boolean => (openPodsText(pods) ?? '').length <= openHookLimits.charsMax;

/** True also while the Backup is to be cancelled or deleted: no other process works on it before this run has ended. */
const isOurs = (run: Backup, now: Backup): boolean =>
  now.metadata.uid === run.metadata.uid && workedOnBy(now) === workedOnBy(run) && now.status?.phase === 'InProgress';
