import type { Backup, KubeObject, PodVolumeBackup, Restore, Unstructured } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ItemIdentifier } from './item-identifier.ts';
import type { OperationProgress } from './operation-progress.ts';
import type { ResourceSelector } from './resource-selector.ts';

/** What a restore action is given beside the item. */
export interface RestoreActionContext {
  /** The same object for every item of one run: what an action reads once for all items, it keeps by it. */
  readonly restore: Restore;
  readonly backup: Backup;
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Its lines go into the log of the restore; at warn and error they count there. Bound to the item. */
  readonly log: Logger;
  /** The same log, bound to no item: for what works on several of them. Absent where `log` is that. */
  readonly runLog?: Logger;
  /** Namespace of the installation: DataDownloads are made there. */
  readonly veleroNamespace: string;
  /** Only a plan is made: the action says what it would return, and writes nothing to the cluster. */
  readonly dryRun: boolean;
  /** The namespace that a namespace of the backup is restored into. */
  mappedNamespace(namespace: string): string;
  /** An object of the backup, as it is stored; undefined when the archive does not have it. */
  archived(item: ItemIdentifier, signal: AbortSignal): Promise<Unstructured | undefined>;
  /** The PodVolumeBackups of the backup, as its files have them. An action keeps what it needs of them: nobody else does. */
  podVolumeBackups(signal: AbortSignal): Promise<readonly PodVolumeBackup[]>;
  /**
   * Tells the restore how a volume comes back: an entry of its volume info. Later facts overwrite earlier ones of the same claim, or of
   * the same volume of a pod that has no claim.
   */
  noteVolume(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void;
}

/** What an action found out about a volume that it restores. Namespaces are those of the target. */
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
  /** The volume of a pod, for a PodVolumeRestore. */
  podVolume?: { namespace: string; pod: string; volume: string };
  /** The VolumeSnapshot, the DataDownload when data is moved, or the PodVolumeRestore. */
  object?: KubeObject;
}

export interface RestoreItemInput {
  /** As the actions before this one have left it: metadata reset, without status. Must not be changed; return a changed copy. */
  readonly item: Unstructured;
  /** As it is stored in the backup. */
  readonly itemFromBackup: Unstructured;
}

export interface RestoredItem {
  /** As it is in the cluster: created by this restore, or by an earlier attempt of it. */
  readonly item: Unstructured;
  /** As it is stored in the backup. */
  readonly itemFromBackup: Unstructured;
}

export interface RestoreItemResult {
  /** The item as it is created; the same object when the action changes nothing. */
  updatedItem: Unstructured;
  /**
   * Objects of the backup that are restored before the item, with namespaces of the backup. Subject to the filters unless the item has the
   * annotation `restore.velero.io/must-include-additional-items`, which is taken off.
   */
  additionalItems?: readonly ItemIdentifier[];
  /** The item is not restored; wins over everything else. */
  skipRestore?: boolean;
  /** Something was started that continues after this call; `progress` is asked for it. */
  operationId?: string;
  /** The item is created when `areAdditionalItemsReady` says so (or the time is up). See {@link withItemsWait}. */
  waitForAdditionalItems?: boolean;
  /** Longest wait in ms; 0 and absent mean the server's `--additional-items-ready-timeout`. */
  additionalItemsReadyTimeoutMs?: number;
}

/**
 * Looks at an item before it is created in the cluster. Built-in actions and those of plugins are the same to everybody above
 * (docs/adr/0024). Actions run in the order of their table. An error keeps the item from being restored.
 */
export interface RestoreItemAction {
  /** `velero.io/pod`: in logs, results and item operations. */
  readonly name: string;
  readonly appliesTo: ResourceSelector;
  execute(input: RestoreItemInput, context: RestoreActionContext, signal: AbortSignal): Promise<RestoreItemResult>;
  /**
   * Starts what needs the item in the cluster: called once it is created, not in a plan, and not for one that was there before the restore.
   * An error is an error of the restore; the item stays. Safe to repeat: an attempt that goes on calls it again.
   * @returns the operations that were started, to be followed
   */
  itemCreated?(restored: RestoredItem, context: RestoreActionContext, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Whether the additional items that were restored can be used: asked at once, then each second. Items that could not be restored are
   * not among them. An error, and the end of the time, are errors of the restore; the item is created all the same
   * (after-1.18.1.md 1D.1). Absent in actions written for version 1: nothing is waited for.
   */
  areAdditionalItemsReady?(
    asked: { items: readonly ItemIdentifier[]; restore: Restore; signal: AbortSignal },
    context: RestoreActionContext,
  ): Promise<{ ready: boolean; error?: string }>;
  /** How far an operation is. Absent for actions that start none. */
  progress?(operationId: string, context: RestoreOperationContext, signal: AbortSignal): Promise<OperationProgress>;
  /** Asks an operation to end; resolves when that is asked for. Safe to repeat, also for one that has ended. */
  cancel?(operationId: string, context: RestoreOperationContext, signal: AbortSignal): Promise<void>;
  /** As `BackupItemAction.watchOperations`. */
  watchOperations?(
    context: RestoreOperationContext,
    onChange: (operationId: string, progress: OperationProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Longest time that an operation of it may take, in ms; absent: as the restore says. */
  operationTimeoutMs?(context: RestoreOperationContext): number;
  /** No more items of this restore come, however its run ended. Called once per run, with a signal of its own. */
  endItems?(context: RestoreActionContext, signal: AbortSignal): Promise<void>;
}

/** Operations outlive the process that started them, so they get no more than this. */
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
