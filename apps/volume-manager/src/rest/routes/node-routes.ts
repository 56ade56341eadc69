import { notFound, plannedDisks, plannedNode } from '@lateen/storage-rest';
import type { LonghornNodeSpec } from '@lateen/storage-types';
import { checkNodeDeletion } from '@lateen/volume-decisions';
import { nodeAnswer } from '../reading/listings.ts';
import type { StorageKinds } from '../reading/storage-reader.ts';
import { type Handle, longhornNeed, type RestPorts, type Route } from '../serving/rest-call.ts';
import { changeObject } from './change-object.ts';
import { listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

type Node = StorageKinds['nodes'];

const changing =
  (plan: (node: Node, body: unknown) => LonghornNodeSpec): Handle =>
  async (call, ports) => {
    const body = call.body();
    const node = await changeObject(ports, call, 'nodes', (before) => ({ ...before, spec: plan(before, body) }));
    return { body: nodeAnswer(node, call.base, ports.reader) };
  };

const diskUpdate = changing(plannedDisks);

const act: Handle = (call, ports) => {
  if (call.action !== 'diskUpdate') throw notFound(`node ${call.name} has no action ${JSON.stringify(call.action)}`);
  return diskUpdate(call, ports);
};

function whyKept(node: Node, { reader }: RestPorts) {
  const name = node.metadata.name ?? '';
  const ready = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const on = ({ spec }: { spec: { nodeID?: string } }) => spec.nodeID === name;
  return checkNodeDeletion({
    name,
    isReady: ready,
    allowScheduling: node.spec.allowScheduling ?? false,
    replicas: reader.list('replicas').filter(on).length,
    engines: reader.list('engines').filter(on).length,
  });
}

const update = [longhornNeed('update', 'nodes')];

export const nodeRoutes: readonly Route[] = [
  { path: '/v1/nodes', methods: { GET: listEndpoint('nodes') } },
  {
    path: '/v1/nodes/:name',
    methods: {
      GET: oneEndpoint('nodes'),
      PUT: { needs: update, handle: changing(plannedNode) },
      POST: { needs: update, handle: act },
      DELETE: deleteEndpoint('nodes', 'nodes', whyKept),
    },
  },
];
