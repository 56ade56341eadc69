import type { Backup } from '@lateen/api-types';
import type { BackupItemAction, ItemBlockAction } from '@lateen/item-actions';
import type { Clock, Random } from '@lateen/kernel';
import type { Discovery, KubeApi, PodExec } from '@lateen/kube';
import type { Informer } from '@lateen/kube-runtime';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import type { RunLogPorts } from '@lateen/run';
import type { ReachPorts } from '@lateen/storage-location';
import type { WritePorts } from './api/write-backup.ts';
import type { BackupObserver } from './backup-observer.ts';
import type { BackupSettings } from './backup-settings.ts';
import type { PodTurns } from './engine/blocks/pod-turns.ts';
import type { EngineLimits } from './engine/engine-limits.ts';
import type { OpenPodEnd } from './open-hooks/open-pod.ts';
import type { ClusterVersion } from './validation/complete-backup.ts';

/** What the work on one backup needs; the controller's options with what is the same for all backups. */
export interface BackupPorts extends WritePorts, ReachPorts, RunLogPorts, SnapshotterPorts {
  clock: Clock;
  random: Random;
  /** Namespace of the installation. */
  namespace: string;
  /** Of this process among replicas. */
  identity: string;
  settings: BackupSettings;
  /** For the many calls of collecting, so that others do not wait behind them. Default: `kube`. */
  collectingKube?: KubeApi | undefined;
  discovery: Discovery;
  exec: PodExec;
  /** In the order in which they run. */
  actions: { backup: readonly BackupItemAction[]; block: readonly ItemBlockAction[] };
  engineLimits: EngineLimits;
  podTurns: PodTurns;
  /** Told what became of pods that a controller had left with hooks open. */
  onOpenHooks(backup: Backup, ends: readonly OpenPodEnd[]): void;
  /** Of the API server; undefined when it does not say. */
  clusterVersion(signal: AbortSignal): Promise<ClusterVersion | undefined>;
  observer?: BackupObserver | undefined;
  backups: Pick<Informer<Backup>, 'get' | 'onChange'>;
}
