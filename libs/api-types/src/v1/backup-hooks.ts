import type { HookErrorMode } from '../meta/hook.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration } from '../meta/scalars.ts';

/** Commands that are run in pods before and after these are backed up. */
export interface BackupHooks {
  /** List of hooks, each with filters for the pods it applies to. Empty: no hooks, except those in annotations of pods. */
  resources?: BackupResourceHookSpec[] | null;
}

/** Hooks for the pods that match all filters of this entry. A hook command in an annotation of a pod replaces these hooks for that pod. */
export interface BackupResourceHookSpec {
  /** Name of this entry, shown in logs and results. */
  name: string;
  /** Namespaces whose pods get the hooks. Empty: all namespaces. */
  includedNamespaces?: string[] | null;
  /** Namespaces whose pods do not get the hooks. Empty: none is excluded. */
  excludedNamespaces?: string[] | null;
  /** Resources that the hooks apply to. Only `pods` has an effect, because commands run in containers. Empty: all. */
  includedResources?: string[] | null;
  /** Resources that the hooks do not apply to. With `pods` in it, the hooks never run. Empty: none is excluded. */
  excludedResources?: string[] | null;
  /** Label selector: only pods with matching labels get the hooks. Empty: all pods. */
  labelSelector?: LabelSelector | null;
  /** Hooks that run before the pod and its volumes are backed up, for example to freeze a database. They run in the order of the list. */
  pre?: BackupResourceHook[];
  /**
   * Hooks that run after the snapshots of the pod's volumes are taken or its volumes are read, also after a failure, for example to
   * unfreeze a database.
   */
  post?: BackupResourceHook[];
}

/** One hook: a command in a container. */
export interface BackupResourceHook {
  /** The command, and the container it runs in. */
  exec: BackupExecHook;
}

/** A command that runs in a container of the pod. */
export interface BackupExecHook {
  /** Name of the container that the command runs in. Empty: the first container of the pod. */
  container?: string;
  /**
   * Program and arguments, each as one entry. No shell interprets them; for shell syntax use `["/bin/sh", "-c", "..."]`.
   * @minItems 1
   */
  command: string[];
  /**
   * What a failed command means. `Fail`: the pod is not backed up, and its remaining pre hooks do not run. `Continue`: the failure is
   * counted as an error, and the pod is backed up. Empty: as `Continue`.
   */
  onError?: HookErrorMode;
  /** How long the command may run, as a duration such as `30s` or `5m`. A command that runs longer counts as failed. Default: 30s. */
  timeout?: Duration;
}
