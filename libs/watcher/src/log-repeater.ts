import type { LogFields } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';

export interface RepeatOptions {
  /** Aborts when the copy must end, whatever is missing. */
  signal: AbortSignal;
  /** Aborts when the container has ended: what it has written by now is all there will be. */
  ended: AbortSignal;
  /** When the container started, RFC 3339. */
  startedAt?: string | undefined;
}

/** Copies a pod's log into our own, so that it is seen there at once and outlives the pod. */
export interface LogRepeater {
  /**
   * Copies what the container writes while it writes it, from its first line on, between a begin and an end mark
   * (data-movement.md section 7). Resolves when the copy is complete, which is after `ended` aborts.
   * On abort: writes the end mark and rejects with the signal's reason.
   */
  repeat(pod: ObjectKey, container: string, fields: LogFields, options: RepeatOptions): Promise<void>;
}
