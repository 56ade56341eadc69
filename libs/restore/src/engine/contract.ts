import type { Backup, PodVolumeBackup, Restore, Unstructured, VolumeSnapshot } from '@lateen/api-types';
import type {
  BackupVolumeInfo,
  NativeSnapshot,
  RestoreItemOutcome,
  RestoreOperation,
  RestorePlanEdge,
  RestoreVolumeInfo,
} from '@lateen/backup-store';
import type { ItemIdentifier, RestoreActionContext, RestoreItemAction } from '@lateen/item-actions';
import type { ResourcePolicies } from '@lateen/item-filters';
import type { Discovery } from '@lateen/kube';
import type { ResourceModifiers } from '@lateen/resource-modifiers';
import type { OwnerRules } from '../owners/owner-rules.ts';
import type { NativeVolumes } from '../volumes/native-restore.ts';

/** The restore as it is worked on: validated, with the spec that the server has completed. */
export type RunningRestore = Restore & Required<Pick<Restore, 'status'>>;

/** One object of the archive, as the restore knows it while its bytes are elsewhere. Namespaces are those of the backup. */
export interface CatalogItem {
  /** `deployments.apps`, `pods`. */
  readonly groupResource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Those of velero.io and lateen.dev alone; others may have kilobytes. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly isTerminating: boolean;
  readonly owners: readonly { uid: string; apiVersion: string; kind: string; name: string; controller: boolean }[];
  /** Objects of the same backup that this one names: the claims, accounts, secrets of a pod, the volume of a claim. */
  readonly needs: readonly ItemIdentifier[];
}

/** What an archive has: a table of contents in memory, the objects where they are. */
export interface Catalog {
  readonly items: readonly CatalogItem[];
  find(item: ItemIdentifier): CatalogItem | undefined;
  /** Versions of a resource that the archive has, the preferred one of the source first. */
  versionsOf(groupResource: string): readonly string[];
  /**
   * The object with numbers as they were written.
   * @throws ARCHIVE_…; CATALOG_ITEM_BROKEN when it is no object; CATALOG_ITEM_MISSING when the archive does not have it in that version
   */
  read(item: CatalogItem, signal: AbortSignal, version?: string): Promise<Unstructured>;
  close(): Promise<void>;
}

/** How far the restoring of objects is. */
export interface RestoreItemProgress {
  /** Grows with additional items. */
  totalItems: number;
  itemsRestored: number;
}

/** What the engine gives an action beside what it decides itself. */
export type RestoreEngineContext = Pick<
  RestoreActionContext,
  'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace' | 'dryRun'
>;

export interface PodHookRuns {
  /** A pod was created, or found that an earlier attempt has created: its exec hooks begin, and are waited for at the end of the restore. */
  podCreated(pod: Unstructured): void;
}

export interface RestoreEnginePorts extends RestoreEngineContext {
  discovery: Discovery;
  podHooks: PodHookRuns;
  nativeVolumes?: NativeVolumes | undefined;
  /** In the order in which they run. */
  actions: readonly RestoreItemAction[];
  limits: RestoreEngineLimits;
  /** Called at most once a second while items come. */
  onProgress(progress: RestoreItemProgress): void;
}

export interface RestoreEngineLimits {
  /** Objects under way at once; 1 is the serial order. */
  parallel: number;
  /** Of a resource that must be there or go away: a CRD that is served, a namespace that is terminating, a volume that is released. */
  resourceTimeoutMs: number;
  terminatingTimeoutMs: number;
  additionalItemsReadyTimeoutMs: number;
}

/** The files of a backup that has no volume info: older servers wrote none (object-store-layout.md section 2). */
export interface LegacyVolumes {
  nativeSnapshots: readonly NativeSnapshot[];
  podVolumeBackups: readonly PodVolumeBackup[];
  csiSnapshots: readonly VolumeSnapshot[];
}

export interface RestoreEngineRequest {
  restore: RunningRestore;
  backup: Backup;
  catalog: Catalog;
  /** How the volumes were backed up; empty where the backup has no such file. */
  volumes: readonly BackupVolumeInfo[];
  /** The native snapshots of the backup; default: none. */
  nativeSnapshots?: readonly NativeSnapshot[];
  /** The PodVolumeBackups of the backup; read when a pod asks for them. */
  podVolumeBackups?(signal: AbortSignal): Promise<readonly PodVolumeBackup[]>;
  /** What a backup that has no volume info has instead. */
  legacyVolumes?: LegacyVolumes;
  /** Of the ConfigMap that `spec.resourcePolicy` names. */
  policies?: ResourcePolicies;
  /** What `resourceModifiersFor` found: those of the restore or of the server. */
  modifiers?: ResourceModifiers;
  /** Of the ConfigMap that `spec.ownerRefConfigMap` names: whose owner references are put back when the restore is finalized. */
  owners?: OwnerRules;
  /** Versions that the user wants resources restored in (`enableapigroupversions`), the most wanted first. */
  versions?: ReadonlyMap<string, readonly string[]>;
  /** `--restore-resource-priorities`: high, `-`, low. */
  priorities: readonly string[];
}

/** What came of all objects of a restore. Warnings and errors are counted by the restore's log. */
export interface RestoreItemsOutcome extends RestoreItemProgress {
  /** Started by actions, still to be followed. */
  operations: RestoreOperation[];
  volumes: RestoreVolumeInfo[];
  items: Iterable<RestoreItemOutcome>;
  /** What waited for what; made while it is gone through. */
  order?: Iterable<RestorePlanEdge>;
}
