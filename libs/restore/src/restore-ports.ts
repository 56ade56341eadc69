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

/** What the work on one restore needs; the controller's options with what is the same for all restores. */
export interface RestorePorts extends ClaimPorts<Restore>, ReachPorts, RunLogPorts, SnapshotterPorts {
  /** Namespace of the installation. */
  namespace: string;
  settings: RestoreSettings;
  /** For the many calls of restoring, so that others do not wait behind them. Default: `kube`. */
  restoringKube?: KubeApi | undefined;
  discovery: Discovery;
  hooks: ExecHooks;
  kept: KeptOperations;
  /** In the order in which they run. */
  actions: readonly RestoreItemAction[];
  /** Where archives are kept that are too large for memory. */
  scratchDirectory: string;
  engine: RestoreEngine;
  /** Told whom a restore waits for. */
  onWaiting(restore: Restore, turn: Turn): void;
  /** Told that the work on a restore goes on after a controller that is gone. */
  onContinued(restore: Restore, attempt: number): void;
  /** Told that the work on a restore goes on when a location is available again. */
  onLocationAwaited(restore: Restore, location: string): void;
  restores: Pick<Informer<Restore>, 'get' | 'list' | 'onChange'>;
}
