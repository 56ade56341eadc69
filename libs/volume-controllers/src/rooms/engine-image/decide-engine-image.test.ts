import type { EngineImage, InstanceManager, LonghornNode } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { decideEngineImage, type EngineImageSeen } from './decide-engine-image.ts';

const apiVersion = 'longhorn.io/v1beta2';
const image = (status: EngineImage['status'] = {}): EngineImage => ({
  apiVersion,
  kind: 'EngineImage',
  metadata: { name: 'ei' },
  spec: { image: 'storage:1' },
  status,
});
const node = (name: string, ready: 'True' | 'False' = 'True'): LonghornNode => ({
  apiVersion,
  kind: 'Node',
  metadata: { name },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const manager = (
  nodeID: string,
  currentState: 'running' | 'starting',
  version = 1,
  of = 'storage:1',
): InstanceManager => ({
  apiVersion,
  kind: 'InstanceManager',
  metadata: { name: `im-${nodeID}` },
  spec: { nodeID, image: of },
  status: { currentState, apiVersion: version },
});
const seen = (parts: Partial<EngineImageSeen>): EngineImageSeen => ({
  image: image(),
  nodes: [node('n1'), node('n2')],
  instanceManagers: [],
  volumes: [],
  engines: [],
  replicas: [],
  defaultImage: 'storage:1',
  version: 'v1',
  ...parts,
});

describe('decideEngineImage', () => {
  it.each([
    ['no instance manager has run', [], 'deploying', { n1: false, n2: false }],
    ['one instance manager has run', [manager('n1', 'running')], 'deploying', { n1: true, n2: false }],
    [
      'all instance managers have run',
      [manager('n1', 'running'), manager('n2', 'running')],
      'deployed',
      { n1: true, n2: true },
    ],
    [
      'one instance manager is restarting',
      [manager('n1', 'starting'), manager('n2', 'running')],
      'deployed',
      { n1: true, n2: true },
    ],
    [
      'one instance manager was never reached',
      [manager('n1', 'running'), manager('n2', 'running', 0)],
      'deploying',
      { n1: true, n2: false },
    ],
    [
      'one instance manager has another image',
      [manager('n1', 'running'), manager('n2', 'running', 1, 'x')],
      'deploying',
      { n1: true, n2: false },
    ],
  ] as const)('%s', (_, instanceManagers, state, nodeDeploymentMap) => {
    expect(decideEngineImage(seen({ instanceManagers }), 0).status).toMatchObject({ state, nodeDeploymentMap });
  });

  it('counts an image of an earlier release as deployed where instance managers of the current one run', () => {
    const instanceManagers = [manager('n1', 'running', 1, 'storage:2'), manager('n2', 'running', 1, 'x')];
    const { nodeDeploymentMap } = decideEngineImage(seen({ instanceManagers, defaultImage: 'storage:2' }), 0).status;
    expect(nodeDeploymentMap).toEqual({ n1: true, n2: false });
  });

  it('does not wait for a node that is not ready', () => {
    const nodes = [node('n1'), node('n2', 'False')];
    expect(decideEngineImage(seen({ nodes, instanceManagers: [manager('n1', 'running')] }), 0).status.state).toBe(
      'deployed',
    );
    expect(decideEngineImage(seen({ nodes: [] }), 0).status.state).toBe('deploying');
  });

  it('counts its users, and records since when it has none', () => {
    const volumes = [{ apiVersion, kind: 'Volume', metadata: { name: 'v' }, spec: { image: 'storage:1' } }];
    const replicas = [
      { apiVersion, kind: 'Replica', metadata: { name: 'r' }, spec: {}, status: { currentImage: 'storage:1' } },
    ];
    const used = decideEngineImage(seen({ volumes, replicas }), 0).status;
    expect([used.refCount, used.noRefSince]).toEqual([2, '']);
    const unused = decideEngineImage(seen({ image: image(used) }), 0).status;
    expect([unused.refCount, unused.noRefSince]).toEqual([0, '1970-01-01T00:00:00Z']);
    expect(decideEngineImage(seen({ image: image(unused) }), 1e9).status.noRefSince).toBe(unused.noRefSince);
  });
});
