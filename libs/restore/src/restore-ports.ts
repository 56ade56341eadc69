import type { Restore } from '@lateen/api-types';
import type { RestoreItemAction } from '@lateen/item-actions';
import type { Discovery, KubeApi } from '@lateen/kube';
import type { Informer } from '@lateen/kube-runtime';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import type { ClaimPorts, RunLogPorts } from '@lateen/run';
import type { ReachPorts } from '@lateen/storage-location';
import type { ExecHooks } from './hooks/exec-hooks.ts';
import type { KeptOperations } from './operations/kept-operations.ts';
import type { RestoreEngine } from './restore-engine.ts';
import type { RestoreSettings } from './restore-settings.ts';
import type { Turn } from './turns/decide-turn.ts';

/** The ports for the work on one restore; the controller's options with the parts that all restores share. */
export interface RestorePorts extends ClaimPorts<Restore>, ReachPorts, RunLogPorts, SnapshotterPorts {
  /** Namespace of the installation. */
  namespace: string;
  settings: RestoreSettings;
  /** The client for the many calls of restoring, so that other calls do not wait behind them. Default: `kube`. */
  restoringKube?: KubeApi | undefined;
  discovery: Discovery;
  hooks: ExecHooks;
  kept: KeptOperations;
  /** In the order in which they run. */
  actions: readonly RestoreItemAction[];
  /** The directory for archives that are too large for memory. */
  scratchDirectory: string;
  engine: RestoreEngine;
  /** Called with the restores that a restore waits for. */
  onWaiting(restore: Restore, turn: Turn): void;
  /** Called when a restore continues after its controller has died. */
  onContinued(restore: Restore, attempt: number): void;
  /** Called when a restore has to wait until a location is available again. */
  onLocationAwaited(restore: Restore, location: string): void;
  restores: Pick<Informer<Restore>, 'get' | 'list' | 'onChange'>;
}
