import type { Unstructured } from '@lateen/api-types';
import { FakeClock, type FakeCluster, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto } from '../testing/item-world.ts';

async function restoring(given: ItemCase<FakeCluster>) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const ports = {
    clock,
    random: seededRandom(),
    cluster: fakeCluster({ clock }),
    log: recordingLog(),
    letTimePass: <T>(work: Promise<T>) => letTimePass(work, clock),
  };
  const end = await restoreInto(ports, given);
  return { ...end, cluster: ports.cluster, log: ports.log };
}

const configMap = (parts: { metadata?: object; data?: object } = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...parts.metadata },
  data: { color: 'red', ...parts.data },
});

const restoreLabels = { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'back' };

describe('an object that is not there', () => {
  it('is created in its namespace, with the labels of the backup and the restore', async () => {
    const { outcome, now, lines, ensured } = await restoring({
      object: configMap({ metadata: { uid: 'u-1', resourceVersion: '7', labels: { app: 'web' } } }),
    });
    expect(outcome).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'shop',
      name: 'settings',
      act: 'create',
    });
    expect(now).toMatchObject({ data: { color: 'red' }, metadata: { labels: { app: 'web', ...restoreLabels } } });
    expect([lines, ensured]).toEqual([[], ['shop']]);
  });

  it('costs one call', async () => {
    const { cluster } = await restoring({ object: configMap() });
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('goes where the namespace mapping says', async () => {
    const { outcome, now } = await restoring({
      object: configMap(),
      spec: { namespaceMapping: { shop: 'shop-two' } },
    });
    expect(outcome).toMatchObject({ namespace: 'shop-two', sourceNamespace: 'shop', act: 'create' });
    expect(now?.metadata.namespace).toBe('shop-two');
  });
});

describe('an object that is there', () => {
  it('is left alone when it is as the backup has it', async () => {
    const { outcome, lines, cluster } = await restoring({
      object: configMap({ metadata: { uid: 'u-1' } }),
      there: [configMap({ metadata: { uid: 'u-2' } })],
    });
    expect(outcome.act).toBe('unchanged');
    expect(lines).toEqual([]);
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'get']);
  });

  it.each([
    ['', 'ConfigMap:settings'],
    ['none', 'ConfigMap "settings"'],
  ])('is left alone by policy %j when it differs, with a warning', async (existingResourcePolicy, named) => {
    const { outcome, now, lines } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue' } })],
      spec: { existingResourcePolicy },
    });
    expect(outcome).toMatchObject({ act: 'conflict', reason: 'it differs in data.color' });
    expect(now).toMatchObject({ data: { color: 'blue' } });
    expect(lines).toEqual([
      `warn: could not restore, ${named} already exists. Warning: the in-cluster version is different than the backed-up version`,
    ]);
  });

  it('is changed by policy update, and gets the labels', async () => {
    const { outcome, now, lines } = await restoring({
      object: configMap(),
      there: [configMap({ data: { color: 'blue', size: 'xl' } })],
      spec: { existingResourcePolicy: 'update' },
    });
    expect(outcome).toMatchObject({ act: 'update', reason: 'it differs in data.color, data.size' });
    expect(now).toMatchObject({ data: { color: 'red' }, metadata: { labels: restoreLabels } });
    expect(now?.data).toEqual({ color: 'red' });
    expect(lines).toEqual([]);
  });
});
