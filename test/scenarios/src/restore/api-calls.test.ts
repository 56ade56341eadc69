import type { KubeObject } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { backedUp, restoreWorld } from './restore-world.ts';

/* How often a restore asks the API server: tens of thousands of objects have each of these calls. */

const count = 20;

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } as KubeObject;
const maps = (data = 'a'): KubeObject[] =>
  Array.from(
    { length: count },
    (_, at) =>
      ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop', name: `map-${at}` },
        data: { data },
      }) as KubeObject,
  );

async function callsOf(there: readonly KubeObject[], dryRun: boolean) {
  const stored = await backedUp([namespace, ...maps()]);
  const world = restoreWorld({ objects: there, limits: { parallel: 1 } });
  const { items } = await world.run(stored, dryRun ? { dryRun } : {});
  const ofMaps = world.cluster.calls.filter(({ type }) => type.resource === 'configmaps');
  const made = (verb: string) => ofMaps.filter((call) => call.verb === verb).length;
  const acts = new Set(items.filter(({ kind }) => kind === 'ConfigMap').map(({ act }) => act));
  return { acts: [...acts], creates: made('create'), gets: made('get'), all: ofMaps.length };
}

describe('calls of a restore for each object', () => {
  it('one into a new namespace', async () => {
    expect(await callsOf([], false)).toEqual({ acts: ['create'], creates: count, gets: 0, all: count });
  });

  it('one where all are there as the backup has them: after the first they are looked for, not created', async () => {
    const labels = { 'velero.io/backup-name': 'b', 'velero.io/restore-name': 'other' };
    const there = maps().map((map) => ({ ...map, metadata: { ...map.metadata, labels } }));
    expect(await callsOf([namespace, ...there], false)).toEqual({
      acts: ['unchanged'],
      creates: 1,
      gets: count,
      all: count + 1,
    });
  });

  it('one in a plan of objects that are there', async () => {
    expect(await callsOf([namespace, ...maps('b')], true)).toEqual({
      acts: ['conflict'],
      creates: 1,
      gets: count,
      all: count + 1,
    });
  });

  it('none in a plan of a namespace that is not there: it has no objects, and nothing would be admitted to it', async () => {
    expect(await callsOf([], true)).toEqual({ acts: ['create'], creates: 0, gets: 0, all: 0 });
  });

  it('none in a plan of a namespace that is on its way out: what is in it goes with it', async () => {
    const leaving = { ...namespace, status: { phase: 'Terminating' } } as KubeObject;
    expect(await callsOf([leaving, ...maps('b')], true)).toEqual({ acts: ['create'], creates: 0, gets: 0, all: 0 });
  });
});
