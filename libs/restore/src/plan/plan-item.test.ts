import type { Unstructured } from '@lateen/api-types';
import {
  denying,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  letTimePass,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto } from '../testing/item-world.ts';

/** The plan for one object, in a cluster that validates like a real API server. */
async function planned(given: ItemCase<FakeCluster>) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const cluster = fakeCluster({ clock, strict: true });
  await cluster.settle();
  const ports = {
    clock,
    random: seededRandom(),
    cluster,
    log: recordingLog(),
    letTimePass: <T>(work: Promise<T>) => letTimePass(work, clock),
  };
  const { outcome, lines } = await restoreInto(ports, { ...given, dryRun: true });
  const { act, reason, by } = outcome;
  return { act, reason, by, lines };
}

const object = (kind: string, name: string, fields: object = {}, apiVersion = 'v1'): Unstructured => ({
  apiVersion,
  kind,
  metadata: { namespace: 'shop', name },
  ...fields,
});
const pod = (spec: object): Unstructured =>
  object('Pod', 'web', { spec: { containers: [{ name: 'main', image: 'example.com/main' }], ...spec } });
const account = (name: string, fields: object = {}): Unstructured => object('ServiceAccount', name, fields);
const service = (name: string, nodePort?: number): Unstructured => {
  const ports = [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }];
  return object('Service', name, { spec: { type: 'NodePort', ports } });
};
const isNew = { namespaceMapping: { shop: 'new' } };
const create = (reason: string) => ({ act: 'create', reason, lines: [] });

describe('a dry run', () => {
  it('reports that a pod is created when its ServiceAccount is restored before it', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }), alsoArchived: [account('robot')] });
    expect(plan).toMatchObject(create('ServiceAccount "robot" is not there yet'));
  });

  it('reports that a pod is denied when its ServiceAccount is not restored', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }) });
    expect(plan).toMatchObject({ act: 'denied', reason: expect.stringContaining('serviceaccount "robot" not found') });
  });

  it('reports the same in a namespace that does not exist yet, where the API server cannot check it', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }), spec: isNew });
    expect(plan).toMatchObject({ act: 'denied', reason: 'ServiceAccount "robot" is not there' });
    const own = await planned({ object: pod({}), spec: isNew });
    expect(own).toMatchObject(create('its namespace is not there yet'));
  });

  it('does not confuse a webhook that denies a pod with a missing ServiceAccount', async () => {
    const plan = await planned({
      object: pod({ serviceAccountName: 'robot' }),
      alsoArchived: [account('robot')],
      cluster: (cluster) => cluster.intercept(denying(({ type }) => type.kind === 'Pod', 'no.example.com', 'never')),
    });
    expect(plan).toMatchObject({ act: 'denied', by: 'webhook no.example.com' });
  });

  it.each([
    ['equal to the backup', account('default'), 'unchanged'],
    ['with more in the backup', account('default', { imagePullSecrets: [{ name: 'pull' }] }), 'update'],
  ])('expects the default ServiceAccount in each new namespace, %s', async (_, default_, act) => {
    expect(await planned({ object: default_, spec: isNew })).toMatchObject({ act, lines: [] });
  });

  it('expects the ConfigMap kube-root-ca.crt in each new namespace', async () => {
    const own = object('ConfigMap', 'kube-root-ca.crt', { data: { 'ca.crt': 'of another cluster' } });
    expect(await planned({ object: own, spec: isNew })).toMatchObject({ act: 'conflict' });
    expect(await planned({ object: own, spec: { ...isNew, existingResourcePolicy: 'update' } })).toMatchObject({
      act: 'update',
    });
  });

  it('checks node ports even when the namespace does not exist yet', async () => {
    const taken = { ...service('other', 30_080), metadata: { namespace: 'else', name: 'other' } };
    const spec = { ...isNew, preserveNodePorts: true };
    expect(await planned({ object: service('web', 30_080), there: [taken], spec })).toMatchObject({ act: 'fail' });
    expect(await planned({ object: service('web', 30_081), there: [taken], spec })).toMatchObject({ act: 'create' });
  });
});
