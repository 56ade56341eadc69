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
  /** Whether an object of the backup is in the cluster, as it is there or by this restore; in a plan: whether it would be. */
  isRestored(item: ItemIdentifier): boolean;
  /** An action has started something that goes on after the run. */
  addOperation(operation: RestoreOperation): void;
}

/** How an item comes to be restored. */
export interface RestoreItemOrigin {
  /** An action of this item named it. */
  additionalTo?: CatalogItem;
  /** That action's item says that its additional items must be included. */
  mustInclude?: boolean;
}

/** Restores one object, or says what would become of it. @throws only the signal's reason; a failure is an outcome and a line of the log */
export type RestoreOneItem = (
  run: ItemRun,
  item: CatalogItem,
  origin: RestoreItemOrigin,
  signal: AbortSignal,
) => Promise<RestoreItemOutcome>;

/** What the target cluster serves, asked again when CRDs have come. */
export interface ServedTypes {
  /** The type to create an object of the archive as: its group and resource, in the version chosen for the restore. */
  find(groupResource: string): DiscoveredType | undefined;
  refresh(signal: AbortSignal): Promise<void>;
}

export interface TargetNamespaces {
  mapped(namespace: string): string;
  /** There and not terminating when it resolves; created from the backup's Namespace where it is missing. @throws what keeps it away */
  ensure(target: string, signal: AbortSignal): Promise<void>;
  /** In a plan: the restore would make it, so that nothing is in it and nothing about it can be asked. */
  isPlanned(target: string): boolean;
}

export interface AdditionalItems {
  /**
   * Restores what an action named before its item, whatever the order says, and resolves when each has ended; at once for what has been
   * restored, and for what waits for the item itself. What the archive does not have is a warning.
   * @returns those that are in the cluster now
   */
  restore(
    item: CatalogItem,
    named: readonly ItemIdentifier[],
    how: { mustInclude: boolean; by: string },
    signal: AbortSignal,
  ): Promise<readonly ItemIdentifier[]>;
  /** Does what only waits; the item's place is given to others meanwhile, and taken again before this settles. */
  whileWaiting<T>(item: CatalogItem, wait: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** What becomes of a PersistentVolume (backup-and-restore.md section 13). */
export type VolumeDecision =
  /**
   * It is created, with its binding reset. `name`: another than in the backup. `madeOf`: a volume was made for it, which nobody uses when it is
   * not created. `reason`: what a plan says of it.
   */
  | {
      restore: true;
      volume: PersistentVolume;
      name?: string;
      madeOf?: { volumeID: string; snapshot: string };
      reason?: string;
    }
  /** It is not: its claim gets another, or it is in use. `provisionAnew`: its claim loses `volumeName`. */
  | { restore: false; reason: string; provisionAnew: boolean };

export interface VolumeRestores {
  /** Asks the cluster for volumes of the name, and waits where one is on its way out. @throws what fails the item */
  decide(volume: PersistentVolume, signal: AbortSignal): Promise<VolumeDecision>;
  /** A claim after its actions: the volume it names is the one that the restore gives it, or none. */
  prepareClaim(claim: Unstructured, signal: AbortSignal): Promise<Unstructured>;
  note(claim: { namespace: string; name: string } | undefined, facts: RestoreVolumeFacts): void;
  infos(): RestoreVolumeInfo[];
}
