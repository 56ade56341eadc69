import type { LogFields } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';

/** Copies a pod's log into our own, so that it outlives the pod. */
export interface LogRepeater {
  /**
   * Copies everything the container has written so far, between a begin and an end mark (data-movement.md section 7).
   * Resolves when the copy is complete. On abort: writes the end mark and rejects with the signal's reason.
   */
  repeat(pod: ObjectKey, container: string, fields: LogFields, options: { signal: AbortSignal }): Promise<void>;
}
