import type { HookErrorMode } from '@lateen/api-types';

/** Before or after the pod and the objects that belong to it are stored. */
export type HookPhase = 'pre' | 'post';

/** One command to run in a container of a pod, with every default filled in. */
export interface PodHook {
  /** The name of the entry in the spec; `<from-annotation>` for hooks of annotations. */
  name: string;
  source: 'annotation' | 'spec';
  phase: HookPhase;
  container: string;
  /** Program and arguments. */
  command: readonly string[];
  /** Absent when it is unset or unreadable: then a failure is only counted and logged (backup-and-restore.md section 7). */
  onError?: HookErrorMode;
  timeoutMs: number;
  /** Why the hook cannot run. It counts as attempted and failed. */
  flaw?: string;
  /** Remarks about values that are interpreted differently from how they are written. */
  remarks: readonly string[];
}
