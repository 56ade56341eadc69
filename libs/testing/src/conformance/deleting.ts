import { configMapType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { configMapIn } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

const hold = 'lateen.dev/hold';
const collectionTimeoutMs = 20_000;

export function deletingTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const key = (named: string) => ({ namespace: subject.namespace, name: named });
  const isGone = async (named: string) =>
    (await errorCodeOf(subject.api.get(configMapType, key(named)))) === 'KUBE_NOT_FOUND';

  describe('deleting', () => {
    it('removes an object without finalizers at once, and only once', async () => {
      const a = name('delete');
      await subject.api.create(configMapType, configMapIn(subject, a));
      await subject.api.delete(configMapType, key(a));
      expect(await isGone(a)).toBe(true);
      expect(await errorCodeOf(subject.api.delete(configMapType, key(a)))).toBe('KUBE_NOT_FOUND');
    });

    it('deletes only the object that the preconditions name', async () => {
      const a = name('precondition');
      const { metadata } = await subject.api.create(configMapType, configMapIn(subject, a));
      const remove = (preconditions: { uid?: string; resourceVersion?: string }) =>
        errorCodeOf(subject.api.delete(configMapType, key(a), { preconditions }));
      expect(await remove({ uid: '00000000-0000-0000-0000-000000000000' })).toBe('KUBE_CONFLICT');
      expect(await remove({ resourceVersion: '1' })).toBe('KUBE_CONFLICT');
      expect(await isGone(a)).toBe(false);
      expect(await remove({ uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' })).toBe('none');
      expect(await isGone(a)).toBe(true);
    });

    it('keeps an object with finalizers until the last one is removed', async () => {
      const a = name('finalizer');
      await subject.api.create(configMapType, configMapIn(subject, a, { finalizers: [hold] }));
      await subject.api.delete(configMapType, key(a));
      const marked = await subject.api.get(configMapType, key(a));
      expect(marked.metadata.deletionTimestamp).toMatch(/Z$/);
      await subject.api.delete(configMapType, key(a));
      expect(await errorCodeOf(subject.api.create(configMapType, configMapIn(subject, a)))).toBe('KUBE_ALREADY_EXISTS');
      await subject.api.patch(configMapType, key(a), { type: 'merge', body: { metadata: { finalizers: null } } });
      expect(await isGone(a)).toBe(true);
    });

    it('rejects new finalizers and cannot be undone once an object is being deleted', async () => {
      const a = name('no-return');
      await subject.api.create(configMapType, configMapIn(subject, a, { finalizers: [hold] }));
      await subject.api.delete(configMapType, key(a));
      const patch = (metadata: object) =>
        subject.api.patch(configMapType, key(a), { type: 'merge', body: { metadata } });
      expect(await errorCodeOf(patch({ finalizers: [hold, 'lateen.dev/more'] }))).toBe('KUBE_INVALID');
      const current = await subject.api.get(configMapType, key(a));
      const { deletionTimestamp: _, ...metadata } = current.metadata;
      await errorCodeOf(subject.api.update(configMapType, { ...current, metadata, data: { v: '1' } }));
      expect((await subject.api.get(configMapType, key(a))).metadata.deletionTimestamp).toBeDefined();
      await patch({ finalizers: null });
      expect(await isGone(a)).toBe(true);
    });

    it('deletes the dependents of an owner', async ({ skip }) => {
      if (!subject.garbageCollected) return skip('this API server has no garbage collector');
      const [owner, dependent] = [name('owner'), name('dependent')];
      const { metadata } = await subject.api.create(configMapType, configMapIn(subject, owner));
      const child = configMapIn(subject, dependent);
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: metadata.uid ?? '' }];
      await subject.api.create(configMapType, { ...child, metadata: { ...child.metadata, ownerReferences } });
      await subject.api.delete(configMapType, key(owner), { propagationPolicy: 'Background' });
      const deadline = systemClock.deadline(collectionTimeoutMs);
      while (!(await isGone(dependent))) await systemClock.sleep(100, deadline);
    }, 30_000);
  });
}
