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

/** The commands of a storage daemon that are used here. */
export type ReplicaDaemonPort = Omit<StorageDaemon, 'version' | 'tested' | 'onEvent' | 'queryJobs'>;

/** Another instance manager, as the source of a replica's layers. */
export interface LayerPeer extends Disposable {
  readonly control: Pick<ReplicaControl, 'layers'>;
  readonly host: Pick<InstanceHost, 'openSnapshot' | 'closeSnapshot'>;
  /** Connects to one of its exports. */
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
  /** The address on which daemons listen, and their port range. */
  address: string;
  portRange: { readonly first: number; readonly last: number };
  /** Connects to the daemon that listens on a monitor socket, when it is ready. */
  connectDaemon(monitorPath: string, signal: AbortSignal): Promise<ReplicaDaemonPort>;
  /** Connects to an export of a daemon of this node. */
  connectExport(port: number, exportName: string, signal: AbortSignal): Promise<StatusLink>;
  /** `host:port` of its instance API. */
  peer(place: string): Promise<LayerPeer>;
  canDirectIo(directory: string, signal: AbortSignal): Promise<boolean>;
  /** The key from which names of exports are derived. */
  exportKey(): Promise<Uint8Array>;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const replicaLimits = {
  /** How long a call waits for another call on the same replica. */
  turnMs: 60_000,
  /** Time limit for taking over all replicas after a restart. A daemon or a disk answers at once, or it hangs. */
  adoptMs: 15_000,
  /** A daemon closes its files within this time, or its disk hangs. */
  closeMs: 20_000,
  /** From the request to end a process to its end: SIGTERM, ten seconds, SIGKILL, and what the kernel needs. */
  endMs: 45_000,
  /** How many ports are tried: a port that another program on the node has taken is skipped. */
  portsTried: 8,
  /** How often a replica's disk usage is read. */
  factsEveryMs: 15_000,
} as const;
