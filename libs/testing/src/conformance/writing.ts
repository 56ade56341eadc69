import {
  configMapType,
  type Lease,
  leaseType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type Secret,
  secretType,
} from '@lateen/api-types';
import type { ObjectKey, ResourceType, Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { configMapIn, deepFreeze } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

const clusterRoles: ResourceType<Unstructured> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};

export function writingTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const key = (named: string) => ({ namespace: subject.namespace, name: named });

  describe('writing', () => {
    it('gives a new object UID, version and creation time, and rejects a second one with its name', async () => {
      const a = name('create');
      const created = await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '1' } }));
      expect(created.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const again = subject.api.create(configMapType, configMapIn(subject, a));
      expect(await errorCodeOf(again)).toBe('KUBE_ALREADY_EXISTS');
      await expect(again).rejects.toThrow(`configmaps "${a}" already exists`);
    });

    it('generates names from generateName', async () => {
      const nameless = deepFreeze({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } });
      const made = await Promise.all(
        Array.from({ length: 3 }, () => subject.api.create(configMapType, nameless, { namespace: subject.namespace })),
      );
      for (const each of made) expect(each.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
      expect(new Set(made.map((each) => each.metadata.name)).size).toBe(3);
    });

    it('keeps a name given together with generateName, and truncates a long generateName', async () => {
      const a = name('beside');
      const both = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key(a), generateName: 'made-' } };
      const made = await subject.api.create(configMapType, both);
      expect(made.metadata).toMatchObject({ name: a, generateName: 'made-' });
      expect(await errorCodeOf(subject.api.create(configMapType, both))).toBe('KUBE_ALREADY_EXISTS');
      const long = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: `${'x'.repeat(99)}-` } };
      const cut = await subject.api.create(configMapType, long, { namespace: subject.namespace });
      expect(cut.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
    });

    it('rejects an invalid name, a missing name and a missing namespace', async () => {
      expect(await errorCodeOf(subject.api.create(configMapType, configMapIn(subject, 'Upper')))).toBe('KUBE_INVALID');
      const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: subject.namespace } };
      expect(await errorCodeOf(subject.api.create(configMapType, nameless))).toBe('KUBE_INVALID');
      const nowhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'no-such-namespace' } };
      const create = subject.api.create(configMapType, nowhere);
      expect(await errorCodeOf(create)).toBe('KUBE_NOT_FOUND');
      await expect(create).rejects.toThrow('namespaces "no-such-namespace" not found');
    });

    it('rejects invalid metadata', async () => {
      const create = (metadata: object) => {
        const object = configMapIn(subject, name('metadata'));
        return errorCodeOf(
          subject.api.create(configMapType, deepFreeze({ ...object, metadata: { ...object.metadata, ...metadata } })),
        );
      };
      expect(await create({ labels: { run: 'x'.repeat(63) } })).toBe('none');
      expect(await create({ labels: { run: 'x'.repeat(64) } })).toBe('KUBE_INVALID');
      expect(await create({ labels: { run: 'a b' } })).toBe('KUBE_INVALID');
      expect(await create({ labels: { 'a b': 'c' } })).toBe('KUBE_INVALID');
      expect(await create({ annotations: { 'lateen.dev/Any_Value': 'a b\n'.repeat(100) } })).toBe('none');
      expect(await create({ finalizers: ['unqualified'] })).toBe('KUBE_INVALID');
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '' };
      expect(await create({ ownerReferences: [owner] })).toBe('KUBE_INVALID');
    });

    it('keeps upper-case letters and colons where a kind allows them', async () => {
      const role = `Lateen:Conformance-${name('Role')}`;
      const object = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: role },
        rules: [],
      };
      await subject.api.create(clusterRoles, object);
      try {
        expect((await subject.api.get(clusterRoles, { name: role })).metadata.name).toBe(role);
        expect(await errorCodeOf(subject.api.get(clusterRoles, { name: role.toLowerCase() }))).toBe('KUBE_NOT_FOUND');
      } finally {
        await subject.api.delete(clusterRoles, { name: role });
      }
    });

    it('stores nothing in a dry run', async () => {
      const a = name('dry');
      const dry = await subject.api.create(configMapType, configMapIn(subject, a), { dryRun: true });
      expect(dry.metadata.name).toBe(a);
      expect(await errorCodeOf(subject.api.get(configMapType, key(a)))).toBe('KUBE_NOT_FOUND');
    });

    it('lets only one of two writers with the same version succeed', async () => {
      const a = name('race');
      const base = await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '0' } }));
      const write = (v: string) => errorCodeOf(subject.api.update(configMapType, deepFreeze({ ...base, data: { v } })));
      const codes = await Promise.all([write('1'), write('2')]);
      expect(codes.sort()).toEqual(['KUBE_CONFLICT', 'none']);
    });

    it('overwrites without a version, increases the version, and keeps it when nothing changes', async () => {
      const a = name('update');
      const base = await subject.api.create(configMapType, configMapIn(subject, a, { data: { v: '0', w: '0' } }));
      const second = await subject.api.update(configMapType, configMapIn(subject, a, { data: { v: '1' } }));
      expect(second.data).toEqual({ v: '1' });
      expect(second.metadata.uid).toBe(base.metadata.uid);
      expect(second.metadata.resourceVersion).not.toBe(base.metadata.resourceVersion);
      const third = await subject.api.update(configMapType, second);
      expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    });

    it('rejects an update of a missing object, or of another object of the same name', async () => {
      const a = name('other');
      expect(await errorCodeOf(subject.api.update(configMapType, configMapIn(subject, a)))).toBe('KUBE_NOT_FOUND');
      const first = await subject.api.create(configMapType, configMapIn(subject, a));
      await subject.api.delete(configMapType, key(a));
      await subject.api.create(configMapType, configMapIn(subject, a));
      const { resourceVersion: _, ...metadata } = first.metadata;
      expect(await errorCodeOf(subject.api.update(configMapType, { ...first, metadata }))).toBe('KUBE_CONFLICT');
    });

    it('keeps the microseconds of a Lease, and requires its version for an update', async () => {
      const lease: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: key(name('lease')),
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.123456Z' },
      };
      const created = await subject.api.create(leaseType, deepFreeze(lease));
      expect(created.spec?.renewTime).toBe('2030-01-01T00:00:00.123456Z');
      expect(await errorCodeOf(subject.api.update(leaseType, lease))).toBe('KUBE_INVALID');
      const taken = await subject.api.update(leaseType, {
        ...created,
        spec: { ...created.spec, holderIdentity: 'you' },
      });
      expect(taken.spec?.holderIdentity).toBe('you');
    });

    it("moves a Secret's stringData into data", async () => {
      const secret: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: key(name('secret')),
        stringData: { password: 'pä$$' },
      };
      const created = await subject.api.create(secretType, deepFreeze(secret));
      expect(created).toMatchObject({ type: 'Opaque', data: { password: Buffer.from('pä$$').toString('base64') } });
      expect(created).not.toHaveProperty('stringData');
    });

    it('keeps the volume name of a claim, and its spec except the size', async () => {
      const claim: PersistentVolumeClaim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: key(name('claim')),
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'nobody-provisions-it',
          resources: { requests: { storage: '1Gi' } },
        },
      };
      await subject.api.create(persistentVolumeClaimType, claim);
      const patch = (spec: object) =>
        errorCodeOf(
          subject.api.patch(persistentVolumeClaimType, claim.metadata as ObjectKey, { type: 'merge', body: { spec } }),
        );
      expect(await patch({ storageClassName: 'another' })).toBe('KUBE_INVALID');
      expect(await patch({ volumeName: 'first' })).toBe('none');
      expect(await patch({ volumeName: 'second' })).toBe('KUBE_INVALID');
      expect(await patch({ volumeName: null })).toBe('KUBE_INVALID');
      await subject.api.delete(persistentVolumeClaimType, claim.metadata as ObjectKey);
    });

    it('ends when the signal is aborted, with its reason', async () => {
      const reason = new Error('the caller has changed its mind');
      const signal = AbortSignal.abort(reason);
      await expect(subject.api.get(configMapType, key('x'), { signal })).rejects.toBe(reason);
      await expect(subject.api.list(configMapType, { signal })).rejects.toBe(reason);
      await expect(subject.api.create(configMapType, configMapIn(subject, 'x'), { signal })).rejects.toBe(reason);
    });
  });
}
