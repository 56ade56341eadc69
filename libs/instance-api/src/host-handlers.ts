import { type HostApi, hostError, type InstanceHost } from '@lateen/block-engine';
import type { ServiceHandlers } from '@lateen/grpc';
import { empty, gated } from './gated-handlers.ts';
import type { InstanceManagerServer } from './generated/instance.ts';
import { eventToWire, instanceToWire, kindFromWire } from './instance-codec.ts';

type Handlers = Required<ServiceHandlers<InstanceManagerServer>>;

/** Managers of any version may ask for these: they report what runs, and start nothing. */
const openToAll: readonly (keyof Handlers)[] = ['getInfo', 'watch'];

/** The port as handlers. Callers with no version of the API in common may only read. */
export const hostHandlers = (host: InstanceHost, api: HostApi): Handlers => gated(handlersOf(host), openToAll, api);

const handlersOf = (host: InstanceHost): Handlers => ({
  getInfo: (_request, o) => host.info(o),
  ensureReplica: async (request, o) => instanceToWire(await host.ensureReplica(request, o)),
  ensureEngine: async (request, o) => {
    const record = given(request.record, 'record');
    return instanceToWire(await host.ensureEngine({ ...request, record }, o));
  },
  ensureFrontend: async (request, o) => instanceToWire(await host.ensureFrontend(request, o)),
  // A call that fails before its first await must be a rejection.
  stop: async (request, o) => host.stop({ ...request, kind: kindFromWire(request.kind) }, o),
  watch: async function* (_request, o) {
    for await (const event of host.watch(o)) yield eventToWire(event);
  },
  promiseGeneration: (request, o) => host.promiseGeneration(request, o),
  deleteReplicaData: (request, o) => empty(host.deleteReplicaData(request, o)),

  engineSnapshot: (request, o) => host.engineSnapshot(request, o),
  engineAddReplica: (request, o) =>
    host.engineAddReplica({ ...request, replica: given(request.replica, 'replica') }, o),
  engineDropReplica: (request, o) => empty(host.engineDropReplica(request, o)),
  engineGrow: (request, o) => empty(host.engineGrow(request, o)),
  engineRevert: (request, o) => empty(host.engineRevert(request, o)),
  engineTrim: (request, o) => host.engineTrim(request, o),
  engineSnapshotDelete: (request, o) => empty(host.engineSnapshotDelete(request, o)),
  enginePurge: (request, o) => host.enginePurge(request, o),
  snapshotSum: (request, o) => host.snapshotSum(request, o),

  openSnapshot: (request, o) => host.openSnapshot(request, o),
  closeSnapshot: (request, o) => empty(host.closeSnapshot(request, o)),
  startBackup: (request, o) => host.startBackup({ ...request, target: given(request.target, 'target') }, o),
  startRestore: (request, o) => host.startRestore({ ...request, target: given(request.target, 'target') }, o),
  startClone: (request, o) => host.startClone(request, o),
  inspectDisk: ({ path }, o) => host.inspectDisk(path, o),
  registerDisk: (request, o) => empty(host.registerDisk(request, o)),
  listReplicaFolders: ({ path }, o) => host.listReplicaFolders(path, o),
});

/** Messages in messages are optional on the wire. */
function given<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw hostError('INVALID_ARGUMENT', `the request has no ${field}`);
  return value;
}
