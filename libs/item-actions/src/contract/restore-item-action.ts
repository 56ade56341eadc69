import type { Backup, KubeObject, PodVolumeBackup, Restore, Unstructured } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ItemIdentifier } from './item-identifier.ts';
import type { OperationProgress } from './operation-progress.ts';
import type { ResourceSelector } from './resource-selector.ts';

/** What a restore action gets besides the item. */
export interface RestoreActionContext {
  /** The same object for every item of one run: an action uses it as the key for what it reads once for all items. */
  readonly restore: Restore;
  readonly backup: Backup;
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Writes to the log of the restore; lines at warn and error are counted there. Bound to the item. */
  readonly log: Logger;
  /** The same log, not bound to an item: for work on several items. Absent when `log` is not bound to an item either. */
  readonly runLog?: Logger;
  /** Namespace of the installation, in which DataDownloads are created. */
  readonly veleroNamespace: string;
  /** Only a plan is made: the action returns its result and writes nothing to the cluster. */
  readonly dryRun: boolean;
  /** The target namespace for a namespace of the backup. */
  mappedNamespace(namespace: string): string;
  /** An object of the backup, as it is stored; undefined when the archive does not contain it. */
  archived(item: ItemIdentifier, signal: AbortSignal): Promise<Unstructured | undefined>;
  /** The PodVolumeBackups of the backup, from its files. They are not cached: an action keeps what it needs of them. */
  podVolumeBackups(signal: AbortSignal): Promise<readonly PodVolumeBackup[]>;
  /**
   * Records how a volume is restored: an entry of the restore's volume info. Later facts overwrite earlier ones of the same
   * claim, or of the same volume of a pod without a claim.
   */
  noteVolume(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void;
}

/** Facts that an action found about a volume that it restores. Namespaces are those of the target. */
export interface RestoreVolumeFacts {
  method: 'CSISnapshot' | 'NativeSnapshot' | 'PodVolumeRestore';
  dataMoved: boolean;
  volumeName?: string;
  driver?: string;
  snapshotHandle?: string;
  snapshotName?: string;
  contentName?: string;
  sizeBytes?: number;
  operationId?: string;
  uploaderType?: string;
  dataMover?: string;
  /** The pod and its volume, for a PodVolumeRestore. */
  podVolume?: { namespace: string; pod: string; volume: string };
  /** The VolumeSnapshot; the DataDownload when data is moved; or the PodVolumeRestore. */
  object?: KubeObject;
}

export interface RestoreItemInput {
  /** The item after the previous actions: metadata reset, without status. Must not be changed; return a changed copy. */
  readonly item: Unstructured;
  /** As it is stored in the backup. */
  readonly itemFromBackup: Unstructured;
}

export interface RestoredItem {
  /** The item in the cluster, created by this restore or by an earlier attempt of it. */
  readonly item: Unstructured;
  /** As it is stored in the backup. */
  readonly itemFromBackup: Unstructured;
}

export interface RestoreItemResult {
  /** The item as it is created; the same object when the action changes nothing. */
  updatedItem: Unstructured;
  /**
   * Objects of the backup that are restored before the item, with namespaces of the backup. Subject to the filters unless the
   * item has the annotation `restore.velero.io/must-include-additional-items`, which is removed.
   */
  additionalItems?: readonly ItemIdentifier[];
  /** The item is not restored; takes precedence over all other fields. */
  skipRestore?: boolean;
  /** The action has started an operation that continues after this call; `progress` reports on it. */
  operationId?: string;
  /** The item is created when `areAdditionalItemsReady` returns true (or the time is up). See {@link withItemsWait}. */
  waitForAdditionalItems?: boolean;
  /** Longest wait in ms; 0 and absent mean the server's `--additional-items-ready-timeout`. */
  additionalItemsReadyTimeoutMs?: number;
}

/**
 * Processes an item before it is created in the cluster. Callers treat built-in actions and those of plugins alike
 * (docs/adr/0024). Actions run in the order of their table. An error means that the item is not restored.
 */
export interface RestoreItemAction {
  /** `velero.io/pod`: shown in logs, results and item operations. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(input: RestoreItemInput, context: RestoreActionContext, signal: AbortSignal): Promise<RestoreItemResult>;
  /**
   * Starts work that needs the item in the cluster: called once the item is created, not in a plan, and not for an item that
   * existed before the restore. An error is an error of the restore; the item stays. Safe to repeat: a further attempt of the
   * restore calls it again.
   * @returns the operations that were started, to be followed
   */
  itemCreated?(restored: RestoredItem, context: RestoreActionContext, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Whether the restored additional items can be used: called at once, then each second. Items that could not be restored are not
   * among them. An error, and a timeout, are errors of the restore; the item is created in both cases (after-1.18.1.md 1D.1).
   * Absent in actions written for version 1: then there is no wait.
   */
  areAdditionalItemsReady?(
    asked: { items: readonly ItemIdentifier[]; restore: Restore; signal: AbortSignal },
    context: RestoreActionContext,
  ): Promise<{ ready: boolean; error?: string }>;
  /** The progress of an operation. Absent for actions that start none. */
  progress?(operationId: string, context: RestoreOperationContext, signal: AbortSignal): Promise<OperationProgress>;
  /** Asks an operation to end; resolves when the request is accepted. Safe to repeat, also for an operation that has ended. */
  cancel?(operationId: string, context: RestoreOperationContext, signal: AbortSignal): Promise<void>;
  /** As `BackupItemAction.watchOperations`. */
  watchOperations?(
    context: RestoreOperationContext,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Longest duration of its operations, in ms; absent: the timeout of the restore. */
  operationTimeoutMs?(context: RestoreOperationContext): number;
  /** Called when no more items of this restore follow, however its run ended. Called once per run, with a signal of its own. */
  endItems?(context: RestoreActionContext, signal: AbortSignal): Promise<void>;
}

/** Operations may outlive the process that started them, so they get only this part of the context. */
export type RestoreOperationContext = Pick<
  RestoreActionContext,
  'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace'
> & {
  readonly restore: Restore;
};

/** The result, with the item waiting for its additional items. */
export const withItemsWait = (result: RestoreItemResult, timeoutMs = 0): RestoreItemResult => ({
  ...result,
  waitForAdditionalItems: true,
  additionalItemsReadyTimeoutMs: timeoutMs,
});
