import type { Call, HostInfo, InstanceHost, InstanceKind, StopInstance } from '@lateen/block-engine';
import type { InstanceBoard } from '@lateen/instance-host';
import type { DiskHost } from '../disks/disk-host.ts';
import type { HostPaths } from '../disks/host-paths.ts';
import { replicaFolders } from '../disks/replica-folders.ts';
import type { EngineHost } from '../engines/engine-host.ts';
import type { VolumeFiles } from '../file-systems/volume-files.ts';
import type { FrontendHost } from '../frontends/frontend-host.ts';
import { deleteReplicaData } from '../replicas/delete-replica.ts';
import type { ReplicaHost } from '../replicas/replica-host.ts';
import type { SnapshotReaders } from '../replicas/snapshot-readers.ts';
import { snapshotSum } from '../replicas/snapshot-sum.ts';
import { transferCalls } from '../transfers/transfer-calls.ts';
import type { TransferProcesses } from '../transfers/transfer-processes.ts';

export interface ServeHostParts {
  info(o: Call): Promise<HostInfo>;
  board: InstanceBoard;
  replicas: ReplicaHost;
  readers: SnapshotReaders;
  engines: EngineHost;
  transfers: TransferProcesses;
  frontends: FrontendHost;
  disks: DiskHost;
  files: VolumeFiles;
  paths: HostPaths;
}

/** The `InstanceHost` of this node, built from its parts. */
export function serveHost({
  info,
  board,
  replicas,
  readers,
  engines,
  transfers,
  frontends,
  disks,
  files,
  paths,
}: ServeHostParts): InstanceHost {
  const stops: Readonly<Record<InstanceKind, (request: StopInstance, o: Call) => Promise<{ clean: boolean }>>> = {
    replica: (request, o) => replicas.stop(request, o),
    engine: (request, o) => engines.stop(request, o),
    frontend: (request, o) => frontends.stop(request, o),
    transfer: (request, o) => transfers.stop(request, o),
  };
  return {
    info,
    ensureReplica: (request, o) => replicas.ensure(request, o),
    ensureEngine: (request, o) => engines.ensure(request, o),
    ensureFrontend: (request, o) => frontends.ensure(request, o),
    stop: (request, o) => stops[request.kind](request, o),
    watch: (o) => board.watch(o),
    promiseGeneration: (request, o) => replicas.promise(request, o),
    deleteReplicaData: (request, o) => deleteReplicaData(replicas, request, o),
    engineSnapshot: (request, o) =>
      files.frozen(request, o, () => engines.one(request, (host) => host.engineSnapshot(request, o))),
    engineAddReplica: (request, o) => engines.many(request, (host) => host.engineAddReplica(request, o)),
    engineDropReplica: (request, o) => engines.one(request, (host) => host.engineDropReplica(request, o)),
    engineGrow: async (request, o) => {
      await engines.one(request, (host) => host.engineGrow(request, o));
      await frontends.grow(request.engine, request.sizeBytes, o);
    },
    engineRevert: async (request, o) => {
      // A device that is in use has cached data that would be wrong afterwards.
      frontends.assertNone(request.engine);
      await engines.one(request, (host) => host.engineRevert(request, o));
    },
    engineTrim: async (request, o) => {
      await engines.one(request, async () => {});
      return { freedBytes: await files.trim(request, o) };
    },
    engineSnapshotDelete: (request, o) => engines.one(request, (host) => host.engineSnapshotDelete(request, o)),
    enginePurge: (request, o) => engines.many(request, (host) => host.enginePurge(request, o)),
    snapshotSum: (request, o) => snapshotSum(replicas, request, o),
    openSnapshot: (request, o) => readers.open(request, o),
    closeSnapshot: (request, o) => readers.close(request, o),
    ...transferCalls({ transfers, replicas, engines }),
    inspectDisk: (path, o) => disks.inspect(path, o),
    registerDisk: ({ path, uuid }) => disks.register(path, uuid),
    listReplicaFolders: (path, o) => replicaFolders(replicas.ports.files, paths.here(path, 'the path of a disk'), o),
  };
}
