import { each, flag, integer, list, map, marked, text } from '../field.ts';
import { plainSchema, type ResourceSchema, resourceSchema } from '../resource-schema.ts';

const disk = {
  ...text('diskType', 'path', 'diskDriver'),
  ...flag('allowScheduling', 'evictionRequested'),
  ...integer('storageReserved'),
  ...list('tags'),
};

/** Nodes, disks, and what runs on them. */
export const nodeSchemas: readonly ResourceSchema[] = [
  resourceSchema(
    'node',
    {
      ...text('name', 'address', 'region', 'zone'),
      ...flag('autoEvicting'),
      ...integer('instanceManagerCPURequest'),
      allowScheduling: marked('bool', 'R'),
      evictionRequested: marked('bool', 'R'),
      disks: marked('map[diskInfo]', 'N'),
      tags: marked('array[string]', 'C'),
      ...each('map[nodeCondition]', 'conditions'),
    },
    { resourceMethods: ['GET', 'PUT'], actions: { diskUpdate: { input: 'diskUpdateInput', output: 'node' } } },
  ),
  plainSchema('diskUpdate', disk),
  plainSchema('diskInfo', {
    ...disk,
    ...integer('storageAvailable', 'storageScheduled', 'storageMaximum'),
    ...map('scheduledReplica', 'scheduledBackingImage', 'healthData'),
    ...text('diskUUID', 'healthDataLastCollectedAt'),
    ...each('map[diskCondition]', 'conditions'),
  }),
  resourceSchema('tag', text('name', 'tagType')),
  resourceSchema('instanceManager', {
    ...text('name', 'currentState', 'image', 'nodeID', 'managerType', 'dataEngine'),
    ...map('instanceEngines', 'instanceEngineFrontends', 'instanceReplicas', 'instances'),
  }),
  plainSchema('instanceProcess', {
    ...each('InstanceProcessSpec', 'spec'),
    ...each('InstanceProcessStatus', 'status'),
  }),
  resourceSchema('orphan', { ...text('name', 'nodeID', 'orphanType', 'dataEngine'), ...map('parameters') }),
  // Parts of the v2 data engine: known by name, never listed with anything in them.
  resourceSchema('shard', text('name')),
  resourceSchema('shardGroup', text('name')),
  resourceSchema('event', { ...each('Event', 'event'), ...text('eventType') }),
  resourceSchema(
    'engineImage',
    {
      image: marked('string', 'CRU'),
      ...text('name', 'ownerID', 'state', 'noRefSince', 'version', 'gitCommit', 'buildDate'),
      ...flag('default', 'incompatible'),
      ...integer('refCount', 'cliAPIVersion', 'cliAPIMinVersion', 'controllerAPIVersion', 'controllerAPIMinVersion'),
      ...integer('dataFormatVersion', 'dataFormatMinVersion'),
      ...list('conditions'),
      ...map('nodeDeploymentMap'),
    },
    { collectionMethods: ['GET', 'POST'], resourceMethods: ['GET', 'DELETE'] },
  ),
];
