import type { HookErrorMode } from '../meta/hook.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration } from '../meta/scalars.ts';

/** Commands to run in pods around their backup. */
export interface BackupHooks {
  /** Hooks, each with the objects it applies to. */
  resources?: BackupResourceHookSpec[] | null;
}

/** Hooks for the pods that match all of the filters. */
export interface BackupResourceHookSpec {
  /** Name that logs and results use. */
  name: string;
  /** Namespaces the hooks apply to; all when empty. */
  includedNamespaces?: string[] | null;
  /** Namespaces the hooks do not apply to. */
  excludedNamespaces?: string[] | null;
  /** Resources the hooks apply to; all when empty. */
  includedResources?: string[] | null;
  /** Resources the hooks do not apply to. */
  excludedResources?: string[] | null;
  /** Labels an object must carry. */
  labelSelector?: LabelSelector | null;
  /** Run before the object and what belongs to it are stored. */
  pre?: BackupResourceHook[];
  /** Run after the object and what belongs to it are stored. */
  post?: BackupResourceHook[];
}

/** One hook. */
export interface BackupResourceHook {
  /** Command to run in a container. */
  exec: BackupExecHook;
}

/** A command in a container of the pod that is backed up. */
export interface BackupExecHook {
  /** Container to run in; the pod's first one when absent. */
  container?: string;
  /**
   * Program and its arguments; no shell is involved.
   * @minItems 1
   */
  command: string[];
  /** Whether a failure of the command fails the object's backup. */
  onError?: HookErrorMode;
  /** Time after which a command that still runs counts as failed. */
  timeout?: Duration;
}
