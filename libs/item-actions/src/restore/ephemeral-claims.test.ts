import { labels, type OwnerReference, type Pod, persistentVolumeClaimType, type Restore } from '@lateen/api-types';
import { aPersistentVolumeClaim, aPod, FakeClock, fakeCluster, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { fateOfEphemeralClaim, ownEphemeralClaims } from './ephemeral-claims.ts';

const signal = new AbortController().signal;
const begun = '2026-01-02T00:00:00Z';
const restore = {
  metadata: { name: 'back', uid: 'r-1', creationTimestamp: begun },
  spec: {},
} as unknown as Restore;

const pod: Pod = aPod({
  name: 'db-0',
  namespace: 'shop',
  uid: 'new-pod',
  spec: {
    volumes: [
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'tmp', emptyDir: {} },
    ],
  },
});
const own = { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'new-pod', controller: true, blockOwnerDeletion: true };
const another: OwnerReference = { ...own, uid: 'old-pod' };
const bystander: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c-1' };

interface Parts {
  name?: string;
  owners?: OwnerReference[];
  since?: string;
  from?: string;
  goes?: boolean;
}

const aClaim = ({ name = 'db-0-scratch', owners, since = begun, from = 'back', goes = false }: Parts = {}) => {
  const claim = aPersistentVolumeClaim({ namespace: 'shop', name, labels: { [labels.restoreName]: from } });
  claim.metadata.creationTimestamp = since;
  if (owners !== undefined) claim.metadata.ownerReferences = owners;
  if (goes) claim.metadata.deletionTimestamp = begun;
  return claim;
};

describe('the claim of an ephemeral volume of a restored pod', () => {
  const settled = { kind: 'settled' };
  const refused = (reason: string) => ({ kind: 'refused', reason });
  it.each<[string, Parts | undefined, object]>([
    ['is left to Kubernetes when it was not restored', undefined, settled],
    ['gets the pod as its controller', {}, { kind: 'own', ownerReferences: [own] }],
    ['keeps its other owners', { owners: [bystander] }, { kind: 'own', ownerReferences: [bystander, own] }],
    [
      'gets the pod as owner only once',
      { owners: [{ ...own, controller: false }] },
      { kind: 'own', ownerReferences: [own] },
    ],
    ['is unchanged when the pod owns it already', { owners: [own] }, settled],
    [
      'stays with another pod that owns it',
      { owners: [another] },
      refused('it belongs to the Pod db-0 with uid old-pod'),
    ],
    ['stays when another restore made it', { from: 'other' }, refused('it was not made by this restore')],
    [
      'stays when the restore only added its labels',
      { since: '2026-01-01T00:00:00Z' },
      refused('it was not made by this restore'),
    ],
    ['is deleted with its previous pod', { owners: [another], goes: true }, refused('it is being deleted')],
    ['without an owner is ignored while it is being deleted', { goes: true }, refused('it is being deleted')],
  ])('%s', (_title, claim, expected) => {
    expect(fateOfEphemeralClaim(claim && aClaim(claim), pod, restore)).toEqual(expected);
  });
});

describe('assigning a pod its ephemeral claims', () => {
  const world = (...claims: ReturnType<typeof aClaim>[]) => {
    const log = recordingLog();
    const kube = fakeCluster({ clock: new FakeClock(), objects: claims });
    const context = { restore, kube, log } as unknown as RestoreActionContext;
    const owners = (name: string) =>
      kube.find(persistentVolumeClaimType, { namespace: 'shop', name })?.metadata.ownerReferences;
    return { log, kube, context, owners };
  };

  it('writes the owner once, and ignores claims that the pod references by name', async () => {
    const { kube, context, owners, log } = world(aClaim(), aClaim({ name: 'data' }), aClaim({ name: 'db-0-data' }));
    let patches = 0;
    kube.intercept(async (call, next) => {
      if (call.verb === 'patch') patches += 1;
      return await next();
    });
    await ownEphemeralClaims(pod, context, signal);
    await ownEphemeralClaims(pod, context, signal);
    expect([owners('db-0-scratch'), owners('data'), owners('db-0-data')]).toEqual([[own], undefined, undefined]);
    expect(patches).toBe(1);
    expect([...log.messages('warn'), ...log.messages('error')]).toEqual([]);
  });

  it('reads again after a conflict, and does not take the claim from another pod', async () => {
    const { kube, context, owners, log } = world(aClaim());
    let hasMeddled = false;
    kube.intercept(async (call, next) => {
      if (call.verb === 'patch' && !hasMeddled) {
        hasMeddled = true;
        kube.change(persistentVolumeClaimType, { namespace: 'shop', name: 'db-0-scratch' }, ({ metadata }) => {
          metadata.ownerReferences = [another];
        });
      }
      return await next();
    });
    await ownEphemeralClaims(pod, context, signal);
    expect(owners('db-0-scratch')).toEqual([another]);
    expect(log.messages('warn')).toEqual([expect.stringContaining('delete pod and claim, and restore again')]);
  });

  it('reports a claim that cannot be written as an error of that claim', async () => {
    const { kube, context, log } = world(aClaim());
    kube.failOnce('patch', ({ type }) => type.resource === 'persistentvolumeclaims', 'KUBE_FORBIDDEN');
    await ownEphemeralClaims(pod, context, signal);
    expect(log.messages('error')).toEqual(['Error giving the claim of an ephemeral volume to its pod']);
  });
});
