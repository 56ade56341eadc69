import { leaseType } from '@lateen/api-types';
import { steadyClock, unlessAborted } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Controller, type ControllerBase, eventRecorder, informer } from '@lateen/kube-runtime';
import { keepCertificate } from './certificate/keep-certificate.ts';
import type { RoomContext } from './frame/room-context.ts';
import { roomController } from './frame/room-controller.ts';
import { settingsOf } from './frame/settings-of.ts';
import { storageCaches } from './frame/storage-caches.ts';
import { type HostDirectoryOptions, hostDirectory } from './hosts/host-directory.ts';
import { holdManagerLease } from './owner/hold-lease.ts';
import { managerDirectory } from './owner/manager-directory.ts';
import { attachmentRoom } from './rooms/attachment/attachment-room.ts';
import { backupRoom } from './rooms/backup/backup-room.ts';
import { backupTargetRoom } from './rooms/backup-target/backup-target-room.ts';
import { backupVolumeRoom } from './rooms/backup-volume/backup-volume-room.ts';
import { cloneRoom } from './rooms/clone/clone-room.ts';
import { engineRoom } from './rooms/engine/engine-room.ts';
import { recurringJobRoom } from './rooms/recurring-job/recurring-job-room.ts';
import { replicaRoom } from './rooms/replica/replica-room.ts';
import { snapshotRoom } from './rooms/snapshot/snapshot-room.ts';
import { snapshotSumRoom } from './rooms/snapshot-sum/snapshot-sum-room.ts';
import { volumeRoom } from './rooms/volume/volume-room.ts';
import { makeWhatIsMissing, type Release, type StartPorts } from './start/make-what-is-missing.ts';
import type { BackupTargets } from './targets/backup-targets.ts';

export interface VolumeControllersOptions extends ControllerBase {
  readonly kube: KubeApi;
  /** The namespace of all objects of the volume manager. */
  readonly namespace: string;
  /** The node of this manager. */
  readonly node: string;
  /** Connects to instance managers; `libs/instance-api` in the app. */
  readonly connect: HostDirectoryOptions['connect'];
  /** The port of instance managers; 8500 when absent. */
  readonly instanceManagerPort?: number;
  readonly rooms: readonly RoomOf[];
  /**
   * Runs beside the controllers on the same caches and connections, until the signal aborts: the REST API. Started at once, while the caches are
   * still filling.
   */
  beside?(context: RoomContext, signal: AbortSignal): Promise<void>;
  /** What the manager creates at its start, and the certificate that it keeps; absent: all of it exists. */
  readonly release?: Release;
}

/** A room with its loop. */
export type RoomOf = (context: RoomContext) => Controller;

/** Rooms of volumes and what belongs to them. A new room gets a line here. */
export const volumeRooms: readonly RoomOf[] = [
  (context) => roomController(context, attachmentRoom(context)),
  (context) => roomController(context, cloneRoom(context)),
  (context) => roomController(context, engineRoom(context)),
  (context) => roomController(context, replicaRoom(context)),
  (context) => roomController(context, snapshotRoom(context)),
  (context) => roomController(context, snapshotSumRoom(context)),
  (context) => roomController(context, volumeRoom(context)),
];

/** Rooms of periodic work on volumes. */
export const jobRooms: readonly RoomOf[] = [(context) => roomController(context, recurringJobRoom(context))];

/** Rooms of backups, and of what is on backup targets. */
export const backupRooms = (targets: BackupTargets): readonly RoomOf[] => [
  (context) => roomController(context, backupTargetRoom(context, targets)),
  (context) => roomController(context, backupVolumeRoom(context, targets)),
  (context) => roomController(context, backupRoom(context, targets)),
];

/** Runs the controllers of the volume manager of one node until `signal` aborts, then releases its lease. */
export async function runVolumeControllers(options: VolumeControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, node, clock: wall, random, log, connect, release } = options;
  const clock = steadyClock(wall);
  const base = { api: kube, clock, random, log };
  const caches = storageCaches({ kube, namespace, clock, random, log });
  const leases = informer({ ...base, type: leaseType, namespace });
  const managers = managerDirectory(leases, namespace, clock);
  const port = options.instanceManagerPort === undefined ? {} : { port: options.instanceManagerPort };
  const hosts = hostDirectory({ caches, connect, clock, random, log, ...port });
  const context: RoomContext = {
    ...options,
    clock,
    wall,
    self: node,
    caches,
    managers,
    hosts,
    events: eventRecorder({ ...base, component: 'volume-manager', host: node }),
    settings: settingsOf(caches.settings),
    version: release?.version,
  };
  const controllers = options.rooms.map((room) => room(context));
  await Promise.all([
    caches.run(signal),
    leases.run(signal),
    managers.run(signal),
    hosts.run(signal),
    holdManagerLease(options, signal),
    runWhenSynced(controllers, context, signal),
    options.beside?.(context, signal),
    ...(release === undefined ? [] : startWith(options, release, signal)),
  ]);
}

/** Runs beside the rooms, which are queued when what they need has been created. */
const startWith = (ports: StartPorts, release: Release, signal: AbortSignal): readonly Promise<unknown>[] => [
  unlessAborted(makeWhatIsMissing(ports, release, signal), signal),
  keepCertificate(ports, signal),
];

/** No decision is made before all caches are filled: an object that has not been seen yet looks like a missing one. */
async function runWhenSynced(
  controllers: readonly Controller[],
  { caches }: RoomContext,
  signal: AbortSignal,
): Promise<void> {
  const isSynced = await caches.synced(signal).then(
    () => true,
    () => false,
  );
  if (isSynced) await Promise.all(controllers.map(({ run }) => run(signal)));
}
