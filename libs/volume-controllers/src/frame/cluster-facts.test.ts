import type { EngineImage, InstanceManager, LonghornNode } from '@lateen/storage-types';
import { readSettings } from '@lateen/volume-decisions';
import { expect, it } from 'vitest';
import { clusterFactsOf } from './cluster-facts.ts';

const apiVersion = 'longhorn.io/v1beta2';
const node = (name: string): LonghornNode => ({ apiVersion, kind: 'Node', metadata: { name }, spec: {} });
const manager = (nodeID: string, image: string): InstanceManager => ({
  ...{ apiVersion, kind: 'InstanceManager', metadata: { name: `im-${nodeID}` } },
  spec: { nodeID, image },
  status: { currentState: 'running' },
});
const engineImage = (image: string, incompatible = false): EngineImage => ({
  ...{ apiVersion, kind: 'EngineImage', metadata: { name: image } },
  spec: { image },
  status: { incompatible },
});
const setting = (value: string) => ({
  ...{ apiVersion, kind: 'Setting', metadata: { name: 'default-instance-manager-image' } },
  value,
});
const cacheOf = <T>(objects: readonly T[]) => ({ list: () => objects, get: () => undefined, onChange: () => () => {} });

it('allows instance managers of the current release to hold replicas of volumes of earlier ones', () => {
  const caches = {
    nodes: cacheOf([node('n1'), node('n2')]),
    kubernetesNodes: cacheOf([]),
    instanceManagers: cacheOf([manager('n1', 'storage:2'), manager('n2', 'storage:1')]),
    engineImages: cacheOf([engineImage('storage:1'), engineImage('storage:2'), engineImage('storage:0', true)]),
    settings: cacheOf([]),
  };
  const { settings } = readSettings([setting('storage:2')]);
  const facts = clusterFactsOf(caches as never, { available: () => 'yes', onChange: () => {} }, () => settings)();
  const images = [...facts.nodes.values()].map(({ name, engineImages }) => [name, [...engineImages].sort()]);
  expect(images).toEqual([
    ['n1', ['storage:1', 'storage:2']],
    ['n2', ['storage:1']],
  ]);
});
