import { type Backup, type Namespace, namespaceType } from '@lateen/api-types';
import { redactText } from '@lateen/kernel';
import {
  type Change,
  type ControllerBase,
  controller,
  eventRecorder,
  type Informer,
  informer,
  watches,
} from '@lateen/kube-runtime';
import { hasMovedOn, operationFollowers } from '@lateen/run';
import { tellOpenHooks, tellPhase } from './backup-events.ts';
import type { BackupPorts } from './backup-ports.ts';
import { backupReconciler } from './backup-reconciler.ts';
import { PodTurns } from './engine/blocks/pod-turns.ts';
import { backupOperations } from './operations/backup-operations.ts';
import { queueReconciler } from './queue/queue-reconciler.ts';

export interface BackupControllersOptions
  extends ControllerBase,
    Omit<BackupPorts, 'backups' | 'onMove' | 'onOpenHooks' | 'redact' | 'podTurns'> {
  /** All Backups of the installation; a missing spec counts as empty (`withSpecOr`). The caller runs the informer. */
  backups: Pick<Informer<Backup>, 'get' | 'list' | 'synced' | 'onChange'>;
}

/** Workers for validating, following, finalizing and undoing backups, in addition to those of running backups. */
const otherWorkers = 8;

/** Runs the queue and the controller of Backups until `signal` aborts; then resolves. */
export async function runBackupControllers(options: BackupControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, clock, random, log, settings, observer, backups } = options;
  const informed = { api: kube, clock, random, log };
  const events = eventRecorder({ ...informed, component: 'lateen-controller', host: options.identity });
  const namespaces = informer<Namespace>({ ...informed, type: namespaceType, transform: nameOnly });
  const onMove = (before: Backup, after: Backup) => {
    tellPhase({ events, log }, after);
    observer?.moved(before, after);
  };
  const ports: BackupPorts = {
    ...options,
    onMove,
    onOpenHooks: (backup, ends) => tellOpenHooks({ events, log }, backup, ends),
    redact: redactText,
    podTurns: new PodTurns(),
  };
  const operations = backupOperations(ports);
  const queueKey = { namespace, name: 'the queue' };
  const queue = controller(options, {
    name: 'backup-queue',
    for: backups,
    wakes: () => false,
    watches: [
      watches(backups, (change) => (mattersToQueue(change) ? [queueKey] : [])),
      watches(namespaces, ({ type }) => (type === 'updated' ? [] : [queueKey])),
    ],
    reconciler: () =>
      queueReconciler({
        kube,
        onMove,
        listBackups: backups.list,
        listNamespaces: namespaces.list,
        concurrentBackups: settings.concurrentBackups,
        clock,
        log,
      }),
  });
  const work = controller(options, {
    name: 'backup',
    for: backups,
    reconciler: (workQueue) =>
      backupReconciler(
        ports,
        operations,
        operationFollowers(operations, (key, afterMs) => workQueue.addAfter(key, afterMs)),
      ),
    workers: settings.concurrentBackups + otherWorkers,
  });
  observer?.readings(() => backups.list());
  await Promise.all([namespaces.run(signal), queue.run(signal), work.run(signal)]);
}

const mattersToQueue = (change: Change<Backup>): boolean => change.type !== 'updated' || hasMovedOn(change);

/** Keeps only what the queue needs, because there may be thousands of namespaces. */
const nameOnly = ({ apiVersion, kind, metadata }: Namespace): Namespace => ({
  apiVersion,
  kind,
  metadata: {
    ...(metadata.name === undefined ? {} : { name: metadata.name }),
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
  },
});
