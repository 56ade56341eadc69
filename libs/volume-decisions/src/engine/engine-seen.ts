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

/** Progress is written into the status no more often; everything else at once. */
export const progressMs = 5_000;

export interface EngineSeen {
  readonly engine: Engine;
  /** `metadata.uid` of its volume: replicas do nothing for another one. */
  readonly volumeUid: string;
  /** Of its volume. */
  readonly replicas: readonly Replica[];
  /** Of the node in `spec.nodeID`. */
  readonly host: HostFacts;
  /** `host:port` of the instance managers, by node. */
  readonly managers: ReadonlyMap<string, string>;
  readonly settings: Settings;
  /** How long ago this manager has written progress into the status. */
  readonly sinceProgressMs: number;
  /** Of a volume into which a backup is to be restored. */
  readonly restore?: EngineRestoreSeen;
}

export interface EngineRestoreSeen {
  /** Name of the BackupTarget, and its URL; absent where no target has the backup. */
  readonly target?: { readonly name: string; readonly url: string };
  /** Why the last try could not be begun, or was broken off. */
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
  /** `what` there is to merge: whoever asks sees whether it has become less. */
  | { readonly do: 'purge'; readonly request: EngineOf; readonly what: string }
  /** `again`: one of the name has ended without success, and makes way first. */
  | {
      readonly do: 'restore';
      readonly target: string;
      readonly request: Omit<StartRestore, 'target'>;
      readonly again: boolean;
    }
  /** The annotation `clean-stop` of the Engine. */
  | { readonly do: 'note-clean-stop'; readonly generation: number }
  /** The finalizer of the Engine goes. */
  | { readonly do: 'release-engine' };
