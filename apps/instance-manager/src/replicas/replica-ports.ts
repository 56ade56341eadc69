import type { InstanceHost, ReplicaControl, StatusLink } from '@lateen/block-engine';
import type { InstanceBoard, ProcessKeeper } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { StorageDaemon } from '@lateen/qemu-storage';
import type { QemuImages } from '@lateen/replica-store';
import type { Files } from '@lateen/volume';
import type { HostPaths } from '../disks/host-paths.ts';
import type { InstanceNotes } from '../notes/instance-notes.ts';
import type { Places } from '../places.ts';
import type { ReplicaNote } from './replica-note.ts';

/** What a storage daemon is asked for here. */
export type ReplicaDaemonPort = Omit<StorageDaemon, 'version' | 'tested' | 'onEvent' | 'queryJobs'>;

/** Another instance manager, as far as a replica is copied from there. */
export interface LayerPeer extends Disposable {
  readonly control: Pick<ReplicaControl, 'layers'>;
  readonly host: Pick<InstanceHost, 'openSnapshot' | 'closeSnapshot'>;
  /** An export of it. */
  connect(port: number, exportName: string, signal: AbortSignal): Promise<StatusLink>;
}

export interface ReplicaPorts {
  keeper: Pick<ProcessKeeper, 'want' | 'unwant' | 'mayRun' | 'look'>;
  board: InstanceBoard;
  notes: InstanceNotes<ReplicaNote>;
  places: Places;
  paths: HostPaths;
  files: Files;
  images: QemuImages;
  /** Of qemu-storage-daemon. */
  program: string;
  /** Where daemons listen, and for which ports. */
  address: string;
  portRange: { readonly first: number; readonly last: number };
  /** The daemon that listens on a monitor, when it is ready. */
  connectDaemon(monitorPath: string, signal: AbortSignal): Promise<ReplicaDaemonPort>;
  /** An export of a daemon of this node. */
  connectExport(port: number, exportName: string, signal: AbortSignal): Promise<StatusLink>;
  /** `host:port` of its instance API. */
  peer(place: string): Promise<LayerPeer>;
  canDirectIo(directory: string, signal: AbortSignal): Promise<boolean>;
  /** Of the names of exports. */
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const replicaLimits = {
  /** A call waits for another one on the same replica for so long. */
  turnMs: 60_000,
  /** Of all replicas after a restart. A daemon answers at once, and a disk too, or it hangs. */
  adoptMs: 15_000,
  /** A daemon closes its files within this, or its disk hangs. */
  closeMs: 20_000,
  /** From the wish to the end of a process: SIGTERM, ten seconds, SIGKILL, and what the kernel needs. */
  endMs: 45_000,
  /** A port that something else on the node has taken is left, and the next one tried, so often. */
  portsTried: 8,
  /** How often what a replica takes is looked at. */
  factsEveryMs: 15_000,
} as const;
