import type {
  EngineAddReplica,
  EngineDropReplica,
  EngineGrow,
  EngineOf,
  EnsureEngine,
  EnsureFrontend,
  StartRestore,
  StopInstance,
} from '@lateen/block-engine';
import type { Engine, Replica } from '@lateen/storage-types';
import type { HostFacts } from '../instance/host-facts.ts';
import type { Settings } from '../settings/read-settings.ts';

/** Progress is written into the status at most this often; everything else at once. */
export const progressMs = 5_000;

export interface EngineSeen {
  readonly engine: Engine;
  /** `metadata.uid` of its volume: replicas refuse calls for another volume. */
  readonly volumeUid: string;
  /** The replicas of its volume. */
  readonly replicas: readonly Replica[];
  /** Of the node in `spec.nodeID`. */
  readonly host: HostFacts;
  /** `host:port` of the instance managers, by node. */
  readonly managers: ReadonlyMap<string, string>;
  readonly settings: Settings;
  /** How long ago this manager last wrote progress into the status. */
  readonly sinceProgressMs: number;
  /** For a volume into which a backup is to be restored. */
  readonly restore?: EngineRestoreSeen;
}

export interface EngineRestoreSeen {
  /** Name of the BackupTarget, and its URL; absent where no target has the backup. */
  readonly target?: { readonly name: string; readonly url: string };
  /** Why the last attempt could not begin, or was interrupted. */
  readonly failure?: string;
  /** Restores that run on the node, of all volumes. */
  readonly onNode: number;
}

/** Calls of the instance manager of the node; each may be repeated. */
export type EngineEffect =
  | { readonly do: 'ensure-engine'; readonly request: EnsureEngine }
  | { readonly do: 'ensure-frontend'; readonly request: EnsureFrontend }
  | { readonly do: 'stop'; readonly request: StopInstance }
  | { readonly do: 'add-replica'; readonly request: EngineAddReplica }
  | { readonly do: 'drop-replica'; readonly request: EngineDropReplica }
  | { readonly do: 'grow'; readonly request: EngineGrow }
  /** `what`: the snapshots to merge, so that the caller sees whether they have become fewer. */
  | { readonly do: 'purge'; readonly request: EngineOf; readonly what: string }
  /** `again`: a transfer of this name has ended without success, and is removed first. */
  | {
      readonly do: 'restore';
      readonly target: string;
      readonly request: Omit<StartRestore, 'target'>;
      readonly again: boolean;
    }
  /** The annotation `clean-stop` of the Engine. */
  | { readonly do: 'note-clean-stop'; readonly generation: number }
  /** Removes the finalizer of the Engine. */
  | { readonly do: 'release-engine' };
