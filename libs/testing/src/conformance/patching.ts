import { configMapType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { configMapIn, deepFreeze } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

export function patchingTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const key = (named: string) => ({ namespace: subject.namespace, name: named });
  const made = async (what: string, data: Record<string, string> = {}) => {
    const named = name(what);
    const object = await subject.api.create(
      configMapType,
      configMapIn(subject, named, { data, labels: { keep: 'yes' } }),
    );
    return { object, key: key(named) };
  };

  describe('patching', () => {
    it('merges: sets fields, removes them by null, keeps the rest', async () => {
      const at = await made('merge', { a: '1', b: '2' });
      const patch = deepFreeze({ data: { b: null, c: '3' }, metadata: { annotations: { note: 'x' } } });
      const patched = await subject.api.patch(configMapType, at.key, { type: 'merge', body: patch });
      expect(patched.data).toEqual({ a: '1', c: '3' });
      expect(patched.metadata).toMatchObject({ labels: { keep: 'yes' }, annotations: { note: 'x' } });
    });

    it('with a resourceVersion fails on a conflict', async () => {
      const at = await made('guard');
      const { resourceVersion } = at.object.metadata;
      const body = (v: string) => ({ metadata: { resourceVersion }, data: { v } });
      await subject.api.patch(configMapType, at.key, { type: 'merge', body: body('1') });
      const stale = subject.api.patch(configMapType, at.key, { type: 'merge', body: body('2') });
      expect(await errorCodeOf(stale)).toBe('KUBE_CONFLICT');
      await expect(stale).rejects.toThrow('the object has been modified');
    });

    it('loses none of many parallel patches', async () => {
      const at = await made('many');
      const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
      await Promise.all(
        keys.map((each) =>
          subject.api.patch(configMapType, at.key, { type: 'merge', body: { data: { [each]: 'x' } } }),
        ),
      );
      const { data } = await subject.api.get(configMapType, at.key);
      expect(Object.keys(data ?? {}).sort()).toEqual(keys.sort());
    });

    it('applies JSON patches in order, all or nothing', async () => {
      const at = await made('json', { b: '1' });
      await subject.api.patch(configMapType, at.key, {
        type: 'merge',
        body: { metadata: { annotations: { 'lateen.dev/note': '1' } } },
      });
      const patched = await subject.api.patch(configMapType, at.key, {
        type: 'json',
        body: deepFreeze([
          { op: 'test', path: '/metadata/annotations/lateen.dev~1note', value: '1' },
          { op: 'move', from: '/metadata/annotations/lateen.dev~1note', path: '/metadata/annotations/moved' },
          { op: 'replace', path: '/data/b', value: '2' },
          { op: 'add', path: '/data/c', value: '3' },
          { op: 'copy', from: '/data/c', path: '/data/d' },
          { op: 'remove', path: '/metadata/labels/keep' },
        ]),
      });
      expect(patched.data).toEqual({ b: '2', c: '3', d: '3' });
      expect(patched.metadata.annotations).toEqual({ moved: '1' });
      expect(patched.metadata.labels ?? {}).toEqual({});
      const failing = subject.api.patch(configMapType, at.key, {
        type: 'json',
        body: [
          { op: 'add', path: '/data/e', value: '5' },
          { op: 'test', path: '/data/c', value: 'wrong' },
        ],
      });
      expect(await errorCodeOf(failing)).toBe('KUBE_INVALID');
      expect((await subject.api.get(configMapType, at.key)).data).not.toHaveProperty('e');
    });

    it('merges lists of built-in kinds by their key when the patch is strategic', async () => {
      const at = await made('strategic');
      const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${uid}`, uid });
      const patch = async (uid: string) =>
        subject.api.patch(configMapType, at.key, {
          type: 'strategic',
          body: { metadata: { ownerReferences: [owner(uid)], finalizers: [`lateen.dev/${uid}`] } },
        });
      await patch('u1');
      const { metadata } = await patch('u2');
      expect(metadata.ownerReferences?.map((each) => each.uid).sort()).toEqual(['u1', 'u2']);
      expect(metadata.finalizers?.slice().sort()).toEqual(['lateen.dev/u1', 'lateen.dev/u2']);
      await subject.api.patch(configMapType, at.key, { type: 'merge', body: { metadata: { finalizers: null } } });
    });

    it('creates by server-side apply, and keeps what other managers applied', async () => {
      const at = key(name('apply'));
      const apply = (fieldManager: string, data: Record<string, string>) =>
        subject.api.patch(
          configMapType,
          at,
          { type: 'apply', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: at.name }, data } },
          { fieldManager },
        );
      expect((await apply('one', { a: '1' })).data).toEqual({ a: '1' });
      expect((await apply('two', { b: '2' })).data).toEqual({ a: '1', b: '2' });
      expect((await apply('one', { a: '3' })).data).toEqual({ a: '3', b: '2' });
    });

    it('removes what a manager applied before and no longer applies', async () => {
      const at = key(name('unapply'));
      const apply = (data: Record<string, string>) =>
        subject.api.patch(
          configMapType,
          at,
          { type: 'apply', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: at.name }, data } },
          { fieldManager: 'one' },
        );
      await apply({ a: '1', b: '2' });
      expect((await apply({ b: '2' })).data).toEqual({ b: '2' });
    });

    it("lets a manager take over another's field only with force", async () => {
      const at = key(name('force'));
      const apply = (fieldManager: string, value: string, force: boolean) =>
        subject.api.patch(
          configMapType,
          at,
          {
            type: 'apply',
            force,
            body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: at.name }, data: { a: value } },
          },
          { fieldManager },
        );
      await apply('one', '1', false);
      expect(await errorCodeOf(apply('two', '2', false))).toBe('KUBE_CONFLICT');
      expect((await apply('two', '2', true)).data).toEqual({ a: '2' });
    });

    it('fails for a missing object', async () => {
      const missing = subject.api.patch(configMapType, key('missing'), { type: 'merge', body: { data: {} } });
      expect(await errorCodeOf(missing)).toBe('KUBE_NOT_FOUND');
    });
  });
}
