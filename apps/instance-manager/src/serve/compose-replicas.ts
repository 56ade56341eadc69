import type { UnixOrTcp } from '@lateen/block-engine';
import { childRunner } from '@lateen/child-process';
import { connectInstanceHost, connectReplicaControl } from '@lateen/instance-api';
import { exportKeyIn, type InstanceBoard } from '@lateen/instance-host';
import { systemClock as clock, systemRandom as random } from '@lateen/kernel';
import { connectStatus } from '@lateen/nbd';
import { connectStorageDaemon, qemuImg } from '@lateen/qemu-storage';
import { nodeFiles as files } from '@lateen/volume';
import type { DiskHost } from '../disks/disk-host.ts';
import type { HostPaths } from '../disks/host-paths.ts';
import { instanceNotes } from '../notes/instance-notes.ts';
import { parseReplicaNote } from '../replicas/replica-note.ts';
import type { LayerPeer, ReplicaPorts } from '../replicas/replica-ports.ts';
import { reachable } from '../transfers/transfer-config.ts';
import type { HostsOptions } from './compose-hosts.ts';
import { managerPlace } from './manager-place.ts';
import { tlsFilesIn } from './tls.ts';

const contexts = ['base:allocation', 'qemu:allocation-depth'] as const;
/** qemu-img can be killed soon: none of its writes has to be finished. */
const imageGraceMs = 5_000;

type Parts = HostsOptions & { board: InstanceBoard; paths: HostPaths; disks: DiskHost };

/** What replicas need from this machine and from other instance managers. */
export function replicaPortsOf({ config, places, programs, keeper, log, board, paths, disks }: Parts): ReplicaPorts {
  const { replicaAddress: address, replicaPorts: portRange, tlsDirectory } = config;
  const status = (at: UnixOrTcp, exportName: string, signal: AbortSignal) =>
    connectStatus({ at, exportName, clock, signal, contexts });
  return {
    ...{ keeper, board, places, paths, files, clock, random, log, address, portRange },
    notes: instanceNotes({ directory: places.instances, kind: 'replica', files, parse: parseReplicaNote, log }),
    program: programs.qemuStorageDaemon,
    images: qemuImg(childRunner({ program: programs.qemuImg, clock, graceMs: imageGraceMs })),
    connectDaemon: (monitorPath, signal) => connectStorageDaemon({ monitorPath, clock, random, signal }),
    connectExport: (port, exportName, signal) => status({ host: reachable(address), port }, exportName, signal),
    peer: (place) => layerPeer(place, config, status),
    canDirectIo: (directory, signal) => disks.canDirectIo(directory, signal),
    exportKey: () => exportKeyIn(tlsDirectory),
  };
}

async function layerPeer(
  place: string,
  { tlsDirectory, serverName }: HostsOptions['config'],
  status: (at: UnixOrTcp, exportName: string, signal: AbortSignal) => ReturnType<typeof connectStatus>,
): Promise<LayerPeer> {
  const { host, port } = managerPlace(place);
  const peer = { host, port, tls: tlsFilesIn(tlsDirectory), serverName };
  const control = await connectReplicaControl(peer);
  const instances = await connectInstanceHost(peer, { clock });
  return {
    control,
    host: instances,
    connect: (port, exportName, signal) => status({ host, port }, exportName, signal),
    [Symbol.dispose]: () => {
      control[Symbol.dispose]();
      instances[Symbol.dispose]();
    },
  };
}
