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

/** The plan for one object, in a cluster that validates like a real one. */
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

describe('a plan', () => {
  it('says of a pod that it is created when its account comes before it', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }), alsoArchived: [account('robot')] });
    expect(plan).toMatchObject(create('ServiceAccount "robot" is not there yet'));
  });

  it('says of a pod that nobody lets it in when its account does not come', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }) });
    expect(plan).toMatchObject({ act: 'denied', reason: expect.stringContaining('serviceaccount "robot" not found') });
  });

  it('says so too in a namespace that is not there yet, where nobody can be asked', async () => {
    const plan = await planned({ object: pod({ serviceAccountName: 'robot' }), spec: isNew });
    expect(plan).toMatchObject({ act: 'denied', reason: 'ServiceAccount "robot" is not there' });
    const own = await planned({ object: pod({}), spec: isNew });
    expect(own).toMatchObject(create('its namespace is not there yet'));
  });

  it('does not take a webhook that lets a pod not in for something that is missing', async () => {
    const plan = await planned({
      object: pod({ serviceAccountName: 'robot' }),
      alsoArchived: [account('robot')],
      cluster: (cluster) => cluster.intercept(denying(({ type }) => type.kind === 'Pod', 'no.example.com', 'never')),
    });
    expect(plan).toMatchObject({ act: 'denied', by: 'webhook no.example.com' });
  });

  it.each([
    ['as it is in the backup', account('default'), 'unchanged'],
    ['with more in the backup', account('default', { imagePullSecrets: [{ name: 'pull' }] }), 'update'],
  ])('counts on the account that each new namespace has, %s', async (_, default_, act) => {
    expect(await planned({ object: default_, spec: isNew })).toMatchObject({ act, lines: [] });
  });

  it('counts on the certificates of the API server in each new namespace', async () => {
    const own = object('ConfigMap', 'kube-root-ca.crt', { data: { 'ca.crt': 'of another cluster' } });
    expect(await planned({ object: own, spec: isNew })).toMatchObject({ act: 'conflict' });
    expect(await planned({ object: own, spec: { ...isNew, existingResourcePolicy: 'update' } })).toMatchObject({
      act: 'update',
    });
  });

  it('asks for ports of nodes also when the namespace is not there yet', async () => {
    const taken = { ...service('other', 30_080), metadata: { namespace: 'else', name: 'other' } };
    const spec = { ...isNew, preserveNodePorts: true };
    expect(await planned({ object: service('web', 30_080), there: [taken], spec })).toMatchObject({ act: 'fail' });
    expect(await planned({ object: service('web', 30_081), there: [taken], spec })).toMatchObject({ act: 'create' });
  });
});
