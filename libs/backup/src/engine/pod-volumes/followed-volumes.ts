import { isTerminalPhase, labels, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { type Clock, orAborted, type Random, silentLogger } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText } from '@lateen/kube';
import { type Change, type Informer, informer } from '@lateen/kube-runtime';
import type { RecordedItem } from '../items/item-record.ts';

/** A PodVolumeBackup of the backup, and the pod whose volume it reads. */
export interface FollowedVolume {
  readonly pod: RecordedItem;
  /** The last state that was seen. */
  object: PodVolumeBackup;
  hasEnded: boolean;
}

export interface FollowedVolumesParts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  veleroNamespace: string;
  backupUid: string;
  /** Called once for each PodVolumeBackup that has ended or was deleted before its end. */
  onEnd(volume: FollowedVolume): void;
}

/** Follows the PodVolumeBackups of one backup by one watch, which starts before the first of them is created. */
export class FollowedVolumes {
  readonly #parts: FollowedVolumesParts;
  readonly #stop = new AbortController();
  readonly #byUid = new Map<string, FollowedVolume>();
  #informer: Informer<PodVolumeBackup> | undefined;
  #run: Promise<void> = Promise.resolve();
  #lastError: unknown;
  #ended = Promise.withResolvers<void>();

  constructor(parts: FollowedVolumesParts) {
    this.#parts = parts;
  }

  get all(): FollowedVolume[] {
    return [...this.#byUid.values()];
  }

  /**
   * Resolves when the watch is established. Call it before each PodVolumeBackup is created.
   * @throws POD_VOLUMES_NOT_FOLLOWED when the watch is not established within the given time; the signal's reason
   */
  async begin(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    this.#informer ??= this.#start();
    if (this.#informer.hasSynced) return;
    try {
      await this.#informer.synced(AbortSignal.any([signal, clock.deadline(timeoutMs)]));
    } catch {
      signal.throwIfAborted();
      const why = this.#lastError === undefined ? '' : `: ${describeError(this.#lastError)}`;
      const text = `PodVolumeBackups cannot be watched${why}`;
      throw new AppError('POD_VOLUMES_NOT_FOLLOWED', text, { cause: this.#lastError });
    }
  }

  /** Call it with each PodVolumeBackup right after it was created. */
  add(created: PodVolumeBackup, pod: RecordedItem): void {
    const volume: FollowedVolume = { pod, object: created, hasEnded: false };
    this.#byUid.set(created.metadata.uid ?? '', volume);
    const seen = this.#informer?.get(keyOf(created));
    if (seen?.metadata.uid === created.metadata.uid && seen !== undefined) this.#see({ type: 'added', object: seen });
  }

  /** Ends a PodVolumeBackup whose end cannot be observed any more, for example because it was deleted. */
  lost(volume: FollowedVolume): void {
    if (!volume.hasEnded) this.#end(volume);
  }

  /** Resolves when all volumes for which `isMeant` is true have ended. @throws the signal's reason */
  async untilEnded(isMeant: (volume: FollowedVolume) => boolean, signal: AbortSignal): Promise<void> {
    for (;;) {
      const nextEnd = this.#ended.promise;
      signal.throwIfAborted();
      if (this.all.every((volume) => volume.hasEnded || !isMeant(volume))) return;
      await orAborted(nextEnd, signal);
    }
  }

  /** Stops the watch; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the backup has done with its pod volumes'));
    await this.#run;
  }

  #start(): Informer<PodVolumeBackup> {
    const { kube: api, clock, random, veleroNamespace: namespace, backupUid } = this.#parts;
    const made = informer({
      api,
      clock,
      random,
      // A broken watch is no reason for a warning of the backup.
      log: silentLogger,
      namespace,
      type: podVolumeBackupType,
      labelSelector: `${labels.backupUid}=${backupUid}`,
      onError: (error) => {
        this.#lastError = error;
      },
    });
    made.onChange((change) => this.#see(change));
    this.#run = made.run(this.#stop.signal);
    return made;
  }

  #see({ type, object }: Change<PodVolumeBackup>): void {
    const volume = this.#byUid.get(object.metadata.uid ?? '');
    // The state at the end counts: later changes do not concern the backup.
    if (volume === undefined || volume.hasEnded) return;
    volume.object = object;
    if (type === 'deleted' || isTerminalPhase(object.status?.phase)) this.#end(volume);
  }

  #end(volume: FollowedVolume): void {
    volume.hasEnded = true;
    this.#parts.onEnd(volume);
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }
}

/** Why a PodVolumeBackup has not stored its volume: it failed, or did not end in time; undefined when it has. In Velero's words. */
export function failureOf({ object, hasEnded }: FollowedVolume): string | undefined {
  const { phase, message = '' } = object.status ?? {};
  const of = `volume ${object.spec.volume}`;
  const said = message === '' ? '' : `: ${message}`;
  switch (phase) {
    case 'Completed':
      return undefined;
    case 'Failed':
      return `pod volume backup failed: ${of}${said}`;
    case 'Canceled':
      return `pod volume backup canceled: ${of}${said}`;
    default: {
      const name = keyText(keyOf(object));
      const what = hasEnded ? `PodVolumeBackup ${name} was deleted` : `PodVolumeBackup ${name} has not ended`;
      return `pod volume backup failed: ${of}: ${what}, its phase was ${phase ?? 'New'}${said}`;
    }
  }
}
