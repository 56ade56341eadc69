import type { HookErrorMode } from '@lateen/api-types';

/** Before or after the pod, and what belongs to it, is stored. */
export type HookPhase = 'pre' | 'post';

/** One command to run in a container of a pod, with every default filled in. */
export interface PodHook {
  /** Of the entry in the spec; `<from-annotation>` for the others. */
  name: string;
  source: 'annotation' | 'spec';
  phase: HookPhase;
  container: string;
  /** Program and arguments. */
  command: readonly string[];
  /** Absent when nobody said it, or said it so that it cannot be read: then only counted and told (backup-and-restore.md section 7). */
  onError?: HookErrorMode;
  timeoutMs: number;
  /** Why it cannot be run. It counts as attempted and failed. */
  flaw?: string;
  /** What of it was read differently than it is written. */
  remarks: readonly string[];
}
