import type { PersistentVolume, Unstructured } from '@lateen/api-types';
import type { RestoreItemOutcome, RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import type { ItemIdentifier, RestoreVolumeFacts } from '@lateen/item-actions';
import type { RestoreFilters } from '@lateen/item-filters';
import type { DiscoveredType } from '@lateen/kube';
import type { CatalogItem, PodHookRuns, RestoreEnginePorts, RestoreEngineRequest } from './contract.ts';

/** What the parts of one run share. One object per run. */
export interface ItemRun {
  readonly ports: RestoreEnginePorts;
  readonly request: RestoreEngineRequest;
  readonly types: ServedTypes;
  /** Compiled by `compileFilters` (item/item-filters.ts). */
  readonly filters: RestoreFilters;
  readonly namespaces: TargetNamespaces;
  readonly additional: AdditionalItems;
  readonly volumes: VolumeRestores;
  readonly podHooks: PodHookRuns;
  /** Whether an object of the backup is in the cluster, restored or found there; in a plan: whether it would be. */
  isRestored(item: ItemIdentifier): boolean;
  /** Records an operation that an action has started and that continues after the run. */
  addOperation(operation: RestoreOperation): void;
}

/** Why an item is restored. */
export interface RestoreItemOrigin {
  /** The item whose action named it. */
  additionalTo?: CatalogItem;
  /** The action says that its additional items must be included, whatever the filters say. */
  mustInclude?: boolean;
}

/** Restores one object; a dry run tells what would happen. @throws only the signal's reason; a failure is an outcome and a log line */
export type RestoreOneItem = (
  run: ItemRun,
  item: CatalogItem,
  origin: RestoreItemOrigin,
  signal: AbortSignal,
) => Promise<RestoreItemOutcome>;

/** What the target cluster serves; discovery runs again after CRDs were restored. */
export interface ServedTypes {
  /** The type under which an object of the archive is created: its group and resource, in the version chosen for the restore. */
  find(groupResource: string): DiscoveredType | undefined;
  refresh(signal: AbortSignal): Promise<void>;
}

export interface TargetNamespaces {
  mapped(namespace: string): string;
  /** Resolves when the namespace exists and is not terminating; creates it from the backup's Namespace if needed. @throws what prevents this */
  ensure(target: string, signal: AbortSignal): Promise<void>;
  /** In a plan: the restore would create the namespace, so it is empty and the API server cannot be asked about objects in it. */
  isPlanned(target: string): boolean;
}

export interface AdditionalItems {
  /**
   * Restores the items that an action named, ahead of their place in the order, and resolves when each has ended. It does not wait for
   * items that are restored already or that wait for `item` themselves. An item that the archive does not have is a warning.
   * @returns the items that are in the cluster now
   */
  restore(
    item: CatalogItem,
    named: readonly ItemIdentifier[],
    how: { mustInclude: boolean; by: string },
    signal: AbortSignal,
  ): Promise<readonly ItemIdentifier[]>;
  /** Runs `wait` with the item's place given to other items, and takes the place again before it settles. */
  whileWaiting<T>(item: CatalogItem, wait: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Whether and how a PersistentVolume is restored (backup-and-restore.md section 13). */
export type VolumeDecision =
  /**
   * The volume is created, with its binding reset. `name`: the new name when it differs from the backup's. `madeOf`: a volume was provisioned
   * for it, which stays unused when the object is not created. `reason`: what a plan says about it.
   */
  | {
      restore: true;
      volume: PersistentVolume;
      name?: string;
      madeOf?: { volumeID: string; snapshot: string };
      reason?: string;
    }
  /** The volume is not created: its claim gets another one, or it is in use. `provisionAnew`: the claim loses its `volumeName`. */
  | { restore: false; reason: string; provisionAnew: boolean };

export interface VolumeRestores {
  /** Looks for a volume of that name in the cluster, and waits while one is being deleted. @throws what makes the item fail */
  decide(volume: PersistentVolume, signal: AbortSignal): Promise<VolumeDecision>;
  /** Prepares a claim after its actions: its `volumeName` becomes the volume that the restore gives it, or is removed. */
  prepareClaim(claim: Unstructured, signal: AbortSignal): Promise<Unstructured>;
  note(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void;
  infos(): RestoreVolumeInfo[];
}
