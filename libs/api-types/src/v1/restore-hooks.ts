import type { HookErrorMode } from '../meta/hook.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, RawObject } from '../meta/scalars.ts';

/** Commands and init containers for restored pods. */
export interface RestoreHooks {
  /** List of hooks, each with filters for the pods it applies to. Empty: no hooks, except those in annotations of pods. */
  resources?: RestoreResourceHookSpec[];
}

/** Hooks for the pods that match all filters of this entry. Hooks in annotations of a pod replace these hooks for that pod. */
export interface RestoreResourceHookSpec {
  /** Name of this entry, shown in logs and results. */
  name: string;
  /** Namespaces whose pods get the hooks, as named after the restore. Empty: all namespaces. */
  includedNamespaces?: string[] | null;
  /** Namespaces whose pods do not get the hooks, as named after the restore. Empty: none is excluded. */
  excludedNamespaces?: string[] | null;
  /** No effect: only pods have hooks. It is accepted for compatibility with Velero. */
  includedResources?: string[] | null;
  /** No effect: only pods have hooks. It is accepted for compatibility with Velero. */
  excludedResources?: string[] | null;
  /** Label selector: only pods with matching labels get the hooks. Empty: all pods. */
  labelSelector?: LabelSelector | null;
  /** Hooks for the restored pods, in the order of the list. */
  postHooks?: RestoreResourceHook[];
}

/** One hook: a command (`exec`) or init containers (`init`). */
export interface RestoreResourceHook {
  /** Command that runs in a container when that container has started. */
  exec?: RestoreExecHook;
  /** Init containers that are added to the pod. They run before its own init containers. */
  init?: RestoreInitHook;
}

/** A command that runs in a container of the restored pod. */
export interface RestoreExecHook {
  /** Name of the container that the command runs in. Empty: the first container of the pod. */
  container?: string;
  /**
   * Program and arguments, each as one entry. No shell interprets them; for shell syntax use `["/bin/sh", "-c", "..."]`.
   * @minItems 1
   */
  command: string[];
  /**
   * What a failed command means; it always counts as an error of the restore. `Fail`: the remaining hooks of the pod do not run. `Continue`
   * or empty: they run.
   */
  onError?: HookErrorMode;
  /** How long the command may run, as a duration such as `30s` or `5m`. A command that runs longer counts as failed. Default: 30s. */
  execTimeout?: Duration;
  /**
   * How long to wait until the container has started, as a duration such as `5m`. A hook whose container starts later fails. Empty or 0: no
   * limit but that of all hooks together, the flag --resource-timeout of the server (10m).
   */
  waitTimeout?: Duration;
  /** Whether to wait until the container is ready. `true`: ready. `false` or empty: it is enough that the container runs. */
  waitForReady?: boolean | null;
}

/** Init containers that are added to restored pods. */
export interface RestoreInitHook {
  /**
   * The containers, written as in `spec.initContainers` of a pod. Each needs `name`, `image` and `command`.
   * @preserveUnknownFields
   */
  initContainers?: RawObject[];
  /** No effect. It is accepted for compatibility with Velero. */
  timeout?: Duration;
}
