import { podVolumeBackupType } from '@lateen/api-types';
import { type Clock, eachAtOnce, type Logger, parseDurationMs } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, keyText } from '@lateen/kube';
import type { FollowedVolume, FollowedVolumes } from './followed-volumes.ts';

/** How many PodVolumeBackups are canceled at the same time, and how long to wait for their end. */
const limits = { atOnce: 16, endMs: 600_000 } as const;

export interface EndInTimeParts {
  kube: KubeApi;
  clock: Clock;
  log: Logger;
  followed: FollowedVolumes;
  /** A Go duration. */
  timeout: string;
}

/** The common time-out of one backup's pod volumes. When it is over, unfinished PodVolumeBackups are canceled, and their end is awaited. */
export class EndInTime {
  readonly #parts: EndInTimeParts;
  #deadline: AbortSignal | undefined;
  /** The canceled PodVolumeBackups; more may follow that were being created when the time was over. */
  readonly #asked = new Set<FollowedVolume>();
  #isTold = false;

  constructor(parts: EndInTimeParts) {
    this.#parts = parts;
  }

  /** Starts the time with the first call. */
  begin(): void {
    this.#deadline ??= this.#parts.clock.deadline(parseDurationMs(this.#parts.timeout) ?? 0);
  }

  get isOver(): boolean {
    return this.#deadline?.aborted === true;
  }

  /** Resolves when all volumes for which `isMeant` is true have ended or could not be ended. @throws the signal's reason */
  async untilEnded(isMeant: (volume: FollowedVolume) => boolean, signal: AbortSignal): Promise<void> {
    const { followed, clock } = this.#parts;
    const deadline = this.#deadline;
    if (deadline === undefined) return;
    if (await hasEnded(followed.untilEnded(isMeant, AbortSignal.any([signal, deadline])), signal)) return;
    await this.#cancel(signal);
    await hasEnded(followed.untilEnded(isMeant, AbortSignal.any([signal, clock.deadline(limits.endMs)])), signal);
  }

  async #cancel(signal: AbortSignal): Promise<void> {
    const { followed, log, timeout } = this.#parts;
    const late = followed.all.filter((volume) => !volume.hasEnded && !this.#asked.has(volume));
    for (const volume of late) this.#asked.add(volume);
    if (!this.#isTold)
      log.error({ timeout, late: late.length }, 'timed out waiting for all PodVolumeBackups to complete');
    this.#isTold = true;
    await eachAtOnce(late, limits.atOnce, (volume) => this.#cancelOne(volume, signal));
  }

  async #cancelOne(volume: FollowedVolume, signal: AbortSignal): Promise<void> {
    const { kube, log, followed } = this.#parts;
    const key = keyOf(volume.object);
    try {
      const body = { metadata: { uid: volume.object.metadata.uid }, spec: { cancel: true } };
      await kube.patch(podVolumeBackupType, key, { type: 'merge', body }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) followed.lost(volume);
      else log.warn({ podVolumeBackup: keyText(key), err: error }, 'a PodVolumeBackup could not be cancelled');
    }
  }
}

/** Returns false when something other than `signal` ended the wait. */
async function hasEnded(wait: Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await wait;
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
