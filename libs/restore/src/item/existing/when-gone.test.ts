import type { PersistentVolumeClaim, Unstructured } from '@lateen/api-types';
import { FakeClock, type FakeCluster, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto } from '../../testing/item-world.ts';
import { typeOfObject } from '../../testing/known-types.ts';

interface Given extends Partial<ItemCase<FakeCluster>> {
  /** How long after the start of the restore the object that is being deleted is gone; absent: never. */
  goesAfterMs?: number;
}

const configMap = (metadata: object = {}, color = 'red'): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...metadata },
  data: { color },
});
const going = { uid: 'old', deletionTimestamp: '2030-01-01T00:00:30Z', finalizers: ['example.com/hold'] };

async function restoring({ goesAfterMs, ...given }: Given) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const cluster = fakeCluster({ clock });
  const log = recordingLog();
  const ports = {
    clock,
    random: seededRandom(),
    cluster,
    log,
    letTimePass: <T>(work: Promise<T>) => letTimePass(work, clock),
  };
  const startMs = clock.now();
  const object = given.object ?? configMap();
  if (goesAfterMs !== undefined)
    void clock.sleep(goesAfterMs).then(() => {
      const { metadata } = object as Unstructured;
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      cluster.remove(typeOfObject(object as Unstructured), key);
    });
  const end = await restoreInto(ports, { there: [configMap(going)], ...given, object });
  return { ...end, tookMs: clock.now() - startMs, calls: cluster.calls };
}

describe('an object of the cluster that is being deleted', () => {
  it.each<[title: string, given: Given]>([
    ['as the backup has it', {}],
    ['that differs', { there: [configMap(going, 'blue')] }],
    [
      'that differs, with policy update',
      { there: [configMap(going, 'blue')], spec: { existingResourcePolicy: 'update' } },
    ],
    [
      'that an earlier attempt has created',
      {
        there: [
          configMap(
            { ...going, labels: { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'back' } },
            'blue',
          ),
        ],
      },
    ],
  ])('%s is waited for, and created then', async (_, given) => {
    const { outcome, now, lines, tookMs } = await restoring({ ...given, goesAfterMs: 40_000 });
    expect(outcome).toMatchObject({ act: 'create' });
    expect(now).toMatchObject({ data: { color: 'red' } });
    expect(now?.metadata.uid).not.toBe('old');
    expect(lines).toEqual([]);
    expect(tookMs).toBeGreaterThanOrEqual(40_000);
    expect(tookMs).toBeLessThan(60_000);
  });

  it('that does not go fails its item after the terminating timeout, with what keeps it', async () => {
    const { outcome, now, tookMs } = await restoring({});
    expect(outcome).toMatchObject({ act: 'fail' });
    expect(outcome.reason).toContain('timed out waiting for the ConfigMap that is being deleted to disappear');
    expect(outcome.reason).toContain('It waits for: example.com/hold.');
    expect(outcome.reason).toContain('--terminating-resource-timeout');
    expect(now?.metadata.uid).toBe('old');
    expect(tookMs).toBe(600_000);
  });

  it('is created in a plan, which waits for nothing', async () => {
    const { outcome, now, lines, tookMs } = await restoring({ dryRun: true });
    expect(outcome).toMatchObject({ act: 'create', reason: 'the one in the cluster is being deleted' });
    expect(now?.metadata.uid).toBe('old');
    expect([lines, tookMs]).toEqual([[], 0]);
  });
});

describe('a claim of the cluster that is being deleted', () => {
  const claim = (metadata: object = {}): Unstructured =>
    ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name: 'data', ...metadata },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }) satisfies PersistentVolumeClaim as unknown as Unstructured;

  it('is gone before the actions look at it, since what becomes of its data depends on it', async () => {
    const seen: (string | undefined)[] = [];
    const { outcome, now } = await restoring({
      object: claim(),
      there: [claim(going)],
      goesAfterMs: 40_000,
      actions: [
        {
          name: 'example.com/looks',
          appliesTo: {},
          execute: async ({ item }, { kube }, signal) => {
            const { items } = await kube.list(typeOfObject(claim()), { namespace: 'shop', signal });
            seen.push(...items.map(({ metadata }) => metadata.uid));
            return { updatedItem: item };
          },
        },
      ],
    });
    expect(seen).toEqual([]);
    expect(outcome.act).toBe('create');
    expect(now?.metadata.uid).not.toBe('old');
  });

  it('and was not when they looked is not created without its data', async () => {
    const { outcome, calls } = await restoring({
      object: claim(),
      there: [claim()],
      actions: [
        {
          name: 'example.com/deletes',
          appliesTo: {},
          execute: async ({ item }, { kube }) => {
            const key = { namespace: 'shop', name: 'data' };
            const body = { metadata: { finalizers: ['example.com/hold'] } };
            await kube.patch(typeOfObject(claim()), key, { type: 'merge', body });
            await kube.delete(typeOfObject(claim()), key);
            return { updatedItem: item };
          },
        },
      ],
    });
    expect(outcome).toMatchObject({
      act: 'fail',
      reason: expect.stringContaining('was deleted while it was restored'),
    });
    expect(calls.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  });
});
