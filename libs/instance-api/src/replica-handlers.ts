import type { HostApi, ReplicaControl } from '@lateen/block-engine';
import type { ServiceHandlers } from '@lateen/grpc';
import { empty, gated } from './gated-handlers.ts';
import type { ReplicaManagerServer } from './generated/instance.ts';

type Handlers = Required<ServiceHandlers<ReplicaManagerServer>>;

/** The port as handlers, for callers with a version of the API in common. */
export const replicaHandlers = (control: ReplicaControl, api: HostApi): Handlers => gated(handlersOf(control), [], api);

const handlersOf = (control: ReplicaControl): Handlers => ({
  layers: (request, o) => control.layers(request, o),
  prepareSnapshot: (request, o) => empty(control.prepareSnapshot(request, o)),
  snapshot: (request, o) => empty(control.snapshot(request, o)),
  cancelSnapshot: (request, o) => empty(control.cancelSnapshot(request, o)),
  revert: (request, o) => empty(control.revert(request, o)),
  markRemoved: (request, o) => empty(control.markRemoved(request, o)),
  purge: (request, o) => control.purge(request, o),
  grow: (request, o) => empty(control.grow(request, o)),
  beginRebuild: (request, o) => empty(control.beginRebuild(request, o)),
  copyLayers: (request, o) => control.copyLayers(request, o),
  attachLayers: (request, o) => empty(control.attachLayers(request, o)),
  compared: (request, o) => empty(control.compared(request, o)),
});
