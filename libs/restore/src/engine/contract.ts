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

/** The Restore while the engine works on it: validated, with the defaults of its spec filled in by the server. */
export type RunningRestore = Restore & Required<Pick<Restore, 'status'>>;

/** What the restore keeps in memory of one object of the archive; its bytes stay in the archive. Namespaces are those of the backup. */
export interface CatalogItem {
  /** `deployments.apps`, `pods`. */
  readonly groupResource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Only annotations of velero.io and lateen.dev: the others may take kilobytes. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly isTerminating: boolean;
  readonly owners: readonly { uid: string; apiVersion: string; kind: string; name: string; controller: boolean }[];
  /** Objects of the same backup that this one refers to: the claims, service accounts and secrets of a pod, the volume of a claim. */
  readonly needs: readonly ItemIdentifier[];
}

/** The contents of an archive: a table of contents in memory; the objects themselves stay in the archive. */
export interface Catalog {
  readonly items: readonly CatalogItem[];
  find(item: ItemIdentifier): CatalogItem | undefined;
  /** The versions of a resource that the archive contains; the preferred version of the source cluster comes first. */
  versionsOf(groupResource: string): readonly string[];
  /**
   * Reads one object. Numbers keep the form in which they are stored.
   * @throws ARCHIVE_…; CATALOG_ITEM_BROKEN when it is not an object; CATALOG_ITEM_MISSING when the archive does not have it in that version
   */
  read(item: CatalogItem, signal: AbortSignal, version?: string): Promise<Unstructured>;
  close(): Promise<void>;
}

/** The progress of restoring objects. */
export interface RestoreItemProgress {
  /** Grows with additional items. */
  totalItems: number;
  itemsRestored: number;
}

/** What the engine passes to an action in addition to what it decides itself. */
export type RestoreEngineContext = Pick<
  RestoreActionContext,
  'kube' | 'clock' | 'random' | 'log' | 'veleroNamespace' | 'dryRun'
>;

export interface PodHookRuns {
  /** Call it when a pod was created now or by an earlier attempt. Its exec hooks start; the end of the restore waits for them. */
  podCreated(pod: Unstructured): void;
}

export interface RestoreEnginePorts extends RestoreEngineContext {
  discovery: Discovery;
  podHooks: PodHookRuns;
  nativeVolumes?: NativeVolumes | undefined;
  /** In the order in which they run. */
  actions: readonly RestoreItemAction[];
  limits: RestoreEngineLimits;
  /** Called at most once a second while items are restored. */
  onProgress(progress: RestoreItemProgress): void;
}

export interface RestoreEngineLimits {
  /** How many objects are restored at the same time; 1 is the serial order. */
  parallel: number;
  /** How long to wait until a CRD is served, a terminating namespace is gone, or a volume is released. */
  resourceTimeoutMs: number;
  terminatingTimeoutMs: number;
  additionalItemsReadyTimeoutMs: number;
}

/** The files that replace the volume info in backups of older servers, which wrote none (object-store-layout.md section 2). */
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
  /** The PodVolumeBackups of the backup; read when a pod needs them. */
  podVolumeBackups?(signal: AbortSignal): Promise<readonly PodVolumeBackup[]>;
  /** The files that replace the volume info when the backup has none. */
  legacyVolumes?: LegacyVolumes;
  /** The policies of the ConfigMap that `spec.resourcePolicy` names. */
  policies?: ResourcePolicies;
  /** The resource modifiers that `resourceModifiersFor` found: those of the restore or of the server. */
  modifiers?: ResourceModifiers;
  /** The rules of the ConfigMap that `spec.ownerRefConfigMap` names: which objects get their owner references back at finalization. */
  owners?: OwnerRules;
  /** The versions in which the user wants resources restored (`enableapigroupversions`), the most wanted first. */
  versions?: ReadonlyMap<string, readonly string[]>;
  /** `--restore-resource-priorities`: high priorities, `-`, low priorities. */
  priorities: readonly string[];
}

/** The totals of a restore's objects. Warnings and errors are counted by the log of the restore. */
export interface RestoreItemsOutcome extends RestoreItemProgress {
  /** Operations that actions have started and that have to be followed to their end. */
  operations: RestoreOperation[];
  volumes: RestoreVolumeInfo[];
  items: Iterable<RestoreItemOutcome>;
  /** Which object waited for which; computed while it is iterated. */
  order?: Iterable<RestorePlanEdge>;
}
