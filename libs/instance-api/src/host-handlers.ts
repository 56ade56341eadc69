import { type HostApi, hostApiProblem, hostError, type InstanceHost } from '@lateen/block-engine';
import type { CallContext, ServiceHandlers } from '@lateen/grpc';
import { apiHeader, parseApi } from './api-header.ts';
import type { InstanceManagerServer } from './generated/instance.ts';
import { eventToWire, instanceToWire, kindFromWire } from './instance-codec.ts';

type Handlers = Required<ServiceHandlers<InstanceManagerServer>>;

/** Managers of any version may ask for these: they report what runs, and start nothing. */
const openToAll: readonly (keyof Handlers)[] = ['getInfo', 'watch'];

/** The port as handlers. Callers with no version of the API in common may only read. */
export function hostHandlers(host: InstanceHost, api: HostApi): Handlers {
  const all = handlersOf(host);
  const gated = Object.entries(all).map(([method, handler]) => {
    if (openToAll.includes(method as keyof Handlers)) return [method, handler];
    const call = handler as (request: unknown, context: CallContext) => unknown;
    const checked = (request: unknown, context: CallContext) => {
      checkApi(context.header(apiHeader), api);
      return call(request, context);
    };
    return [method, checked];
  });
  return Object.fromEntries(gated) as Handlers;
}

function checkApi(sent: string | undefined, api: HostApi): void {
  const manager = parseApi(sent);
  if (manager === undefined) throw hostError('API_VERSION', 'the caller did not say which versions it speaks');
  const problem = hostApiProblem(manager, api);
  if (problem !== undefined) throw problem;
}

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
  startBackup: (request, o) => host.startBackup({ ...request, target: given(request.target, 'target') }, o),
  startRestore: (request, o) => host.startRestore({ ...request, target: given(request.target, 'target') }, o),
  copyLayers: (request, o) => host.copyLayers(request, o),
  inspectDisk: ({ path }, o) => host.inspectDisk(path, o),
  listReplicaFolders: ({ path }, o) => host.listReplicaFolders(path, o),
});

/** Messages in messages are optional on the wire. */
function given<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw hostError('INVALID_ARGUMENT', `the request has no ${field}`);
  return value;
}

async function empty(done: Promise<void>): Promise<Record<string, never>> {
  await done;
  return {};
}
