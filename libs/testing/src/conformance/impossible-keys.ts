import { configMapType } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { configMapIn } from './config-maps.ts';
import type { ConformanceSubject } from './conformance-subject.ts';
import { errorCodeOf } from './error-code-of.ts';

/*
 * A name from a spec may be empty or invalid. Sent unchanged, such a path would mean all objects of the kind, a
 * subresource, or another object; so no implementation may report it as merely missing, or find an object.
 */
export function impossibleKeyTests(subject: ConformanceSubject): void {
  const { name } = subject;
  const merge = { type: 'merge', body: { data: { found: 'yes' } } } as const;

  describe('a key that no object can have', () => {
    it.each(['', '.', '..', 'a/status', 'a%2Fstatus'])('is rejected by every verb: the name "%s"', async (bad) => {
      const key = { namespace: subject.namespace, name: bad };
      const object = { ...configMapIn(subject, bad), metadata: key };
      expect(await errorCodeOf(subject.api.get(configMapType, key))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.update(configMapType, object))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.patch(configMapType, key, merge))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.delete(configMapType, key))).toBe('KUBE_BAD_REQUEST');
    });

    it.each(['', '..', 'a/b'])('is rejected by every verb: the namespace "%s"', async (namespace) => {
      const a = name('nowhere');
      await subject.api.create(configMapType, configMapIn(subject, a));
      const key = { namespace, name: a };
      const object = { ...configMapIn(subject, a), metadata: key };
      expect(await errorCodeOf(subject.api.get(configMapType, key))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.create(configMapType, object))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.update(configMapType, object))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.patch(configMapType, key, merge))).toBe('KUBE_BAD_REQUEST');
      expect(await errorCodeOf(subject.api.delete(configMapType, key))).toBe('KUBE_BAD_REQUEST');
      // A missing namespace means all namespaces; an empty one must not.
      expect(await errorCodeOf(subject.api.list(configMapType, { namespace }))).toBe('KUBE_BAD_REQUEST');
      const watching = async () => {
        const options = { namespace, resourceVersion: '0', timeoutSeconds: 1 };
        for await (const _ of subject.api.watch(configMapType, options)) return;
      };
      expect(await errorCodeOf(watching())).toBe('KUBE_BAD_REQUEST');
    });

    it('is reported as no object', async () => {
      const key = { namespace: subject.namespace, name: '' };
      expect(await readObject(subject.api, configMapType, key, AbortSignal.any([]))).toBeUndefined();
    });
  });
}
