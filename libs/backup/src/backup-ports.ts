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

/** The ports for the work on one backup; the controller's options with the parts that all backups share. */
export interface BackupPorts extends WritePorts, ReachPorts, RunLogPorts, SnapshotterPorts {
  clock: Clock;
  random: Random;
  /** Namespace of the installation. */
  namespace: string;
  /** The identity of this process among the replicas. */
  identity: string;
  settings: BackupSettings;
  /** The client for the many calls of collecting, so that other calls do not wait behind them. Default: `kube`. */
  collectingKube?: KubeApi | undefined;
  discovery: Discovery;
  exec: PodExec;
  /** In the order in which they run. */
  actions: { backup: readonly BackupItemAction[]; block: readonly ItemBlockAction[] };
  engineLimits: EngineLimits;
  podTurns: PodTurns;
  /** Called with the results for pods whose hooks a controller had left open. */
  onOpenHooks(backup: Backup, ends: readonly OpenPodEnd[]): void;
  /** The version of the API server; undefined when it does not report one. */
  clusterVersion(signal: AbortSignal): Promise<ClusterVersion | undefined>;
  observer?: BackupObserver | undefined;
  backups: Pick<Informer<Backup>, 'get' | 'onChange'>;
}
