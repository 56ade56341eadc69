import type { HookErrorMode } from '../meta/hook.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, RawObject } from '../meta/scalars.ts';

/** What to run in pods that are restored. */
export interface RestoreHooks {
  /** Hooks, each with the objects it applies to. */
  resources?: RestoreResourceHookSpec[];
}

/** Hooks for the pods that match all of the filters. */
export interface RestoreResourceHookSpec {
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
  /** Run while and after a pod is restored. */
  postHooks?: RestoreResourceHook[];
}

/** One hook: a command or init containers. */
export interface RestoreResourceHook {
  /** Command to run once the pod is up. */
  exec?: RestoreExecHook;
  /** Containers to put before the pod's own. */
  init?: RestoreInitHook;
}

/** A command in a container of a restored pod. */
export interface RestoreExecHook {
  /** Container to run in; the pod's first one when absent. */
  container?: string;
  /**
   * Program and its arguments; no shell is involved.
   * @minItems 1
   */
  command: string[];
  /** Whether a failure of the command fails the restore's hooks for the pod. */
  onError?: HookErrorMode;
  /** Time after which a command that still runs counts as failed. */
  execTimeout?: Duration;
  /** Longest wait for the container before the command is given up. */
  waitTimeout?: Duration;
  /** Wait until the container is ready, not only running. */
  waitForReady?: boolean | null;
}

/** Init containers for restored pods. */
export interface RestoreInitHook {
  /**
   * The containers, as a pod has them.
   * @preserveUnknownFields
   */
  initContainers?: RawObject[];
  /** Longest wait for the init containers. */
  timeout?: Duration;
}
