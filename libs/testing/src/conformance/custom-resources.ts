import { configMapType } from '@lateen/api-types';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import type { ConformanceSubject } from './conformance-subject.ts';
import type { CustomKinds } from './custom-kinds.ts';
import { errorCodeOf } from './error-code-of.ts';

export function customResourceTests(subject: ConformanceSubject, { plain, split }: CustomKinds): void {
  const { name } = subject;
  const object = (type: ResourceType, fields: object): Unstructured => ({
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name: name('custom'), namespace: subject.namespace },
    ...fields,
  });
  const keyOf = (made: Unstructured) => ({ namespace: subject.namespace, name: made.metadata.name ?? '' });

  describe('custom resources', () => {
    it('keep unknown fields, including nulls and empty values', async () => {
      const spec = { future: { deep: [{ x: 1 }, [], {}], empty: '', no: false, zero: 0 } };
      const made = await subject.api.create(plain, object(plain, { spec, extra: ['a'] }));
      const got = await subject.api.get(plain, keyOf(made));
      expect(got).toMatchObject({ spec, extra: ['a'] });
    });

    it('may have a finalizer without a domain, which built-in kinds may not', async () => {
      const fields = object(plain, { spec: {} });
      const metadata = { ...fields.metadata, finalizers: ['longhorn.io'] };
      const made = await subject.api.create(plain, { ...fields, metadata });
      expect(made.metadata.finalizers).toEqual(['longhorn.io']);
      await subject.api.patch(plain, keyOf(made), { type: 'merge', body: { metadata: { finalizers: null } } });
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
      expect(await errorCodeOf(subject.api.create(configMapType, map))).toBe('KUBE_INVALID');
    });

    it('are listed as metadata only on request', async () => {
      const made = await subject.api.create(plain, object(plain, { spec: { large: true } }));
      const { namespace, name: named } = keyOf(made);
      const options = { namespace, fieldSelector: `metadata.name=${named}`, metadataOnly: true };
      const { items } = await subject.api.list(plain, options);
      expect(items.map((item) => [item.apiVersion, item.kind, item.metadata.uid, Object.keys(item).length])).toEqual([
        [made.apiVersion, made.kind, made.metadata.uid, 3],
      ]);
    });

    it('keep 64-bit integers exactly on request, even when written back', async () => {
      const big = JSON.parse('{"big":9007199254740993,"small":-9223372036854775808}', keepNumbers) as object;
      const made = await subject.api.create(plain, object(plain, { spec: big }));
      const exact = await subject.api.get(plain, keyOf(made), { numbers: 'exact' });
      expect(JSON.stringify(exact.spec)).toBe('{"big":9007199254740993,"small":-9223372036854775808}');
      const again = await subject.api.update(plain, exact);
      expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      const { items } = await subject.api.list(plain, { namespace: subject.namespace, numbers: 'exact' });
      expect(JSON.stringify(items)).toContain('9007199254740993');
    });

    it('increase the generation for changes of the spec, not of metadata', async () => {
      const made = await subject.api.create(plain, object(plain, { spec: { v: 1 } }));
      expect(made.metadata.generation).toBe(1);
      const patch = (body: object) => subject.api.patch(plain, keyOf(made), { type: 'merge', body });
      expect((await patch({ spec: { v: 2 } })).metadata.generation).toBe(2);
      expect((await patch({ metadata: { labels: { a: 'b' } } })).metadata.generation).toBe(2);
    });

    it('need a resourceVersion for an update, and reject a strategic merge patch', async () => {
      const made = await subject.api.create(plain, object(plain, { spec: {} }));
      const { resourceVersion: _, ...metadata } = made.metadata;
      expect(await errorCodeOf(subject.api.update(plain, { ...made, metadata }))).toBe('KUBE_INVALID');
      const strategic = subject.api.patch(plain, keyOf(made), { type: 'strategic', body: { spec: { v: 1 } } });
      expect(await errorCodeOf(strategic)).toBe('KUBE_BAD_REQUEST');
    });

    it('without a status subresource treat status like any other field', async () => {
      const made = await subject.api.create(plain, object(plain, { status: { phase: 'New' } }));
      expect(made.status).toEqual({ phase: 'New' });
      const body = { status: { phase: 'Done' } };
      const patched = await subject.api.patch(plain, keyOf(made), { type: 'merge', body });
      expect(patched.status).toEqual({ phase: 'Done' });
      // So a generation says nothing about which spec a status describes.
      expect([made.metadata.generation, patched.metadata.generation]).toEqual([1, 2]);
      const sub = subject.api.patch(plain, keyOf(made), { type: 'merge', body }, { subresource: 'status' });
      expect(await errorCodeOf(sub)).toBe('KUBE_NOT_FOUND');
    });

    it('with a status subresource separate status and the rest', async () => {
      const made = await subject.api.create(split, object(split, { spec: { v: 1 }, status: { phase: 'Ignored' } }));
      expect(made.status).toBeUndefined();
      const both = { spec: { v: 2 }, status: { phase: 'Done' } };
      const patch = (subresource?: string) =>
        subject.api.patch(
          split,
          keyOf(made),
          { type: 'merge', body: both },
          subresource === undefined ? {} : { subresource },
        );
      const status = await patch('status');
      expect([status.spec, status.status, status.metadata.generation]).toEqual([{ v: 1 }, { phase: 'Done' }, 1]);
      const main = await patch();
      expect([main.spec, main.status, main.metadata.generation]).toEqual([{ v: 2 }, { phase: 'Done' }, 2]);
    });

    it('accept a JSON patch of the status that tests another field, and reject it when the test fails', async () => {
      const blank = object(split, { spec: { v: 1 } });
      const metadata = { ...blank.metadata, annotations: { 'example.com/generation': '7' } };
      const made = await subject.api.create(split, { ...blank, metadata });
      const set = async (status: object) => {
        const now = await subject.api.get(split, keyOf(made));
        return subject.api.update(split, { ...now, status }, { subresource: 'status' });
      };
      const test = (generation: string, path: string) =>
        subject.api.patch(
          split,
          keyOf(made),
          {
            type: 'json',
            body: [
              { op: 'test', path: '/metadata/annotations/example.com~1generation', value: generation },
              { op: 'add', path, value: 'ERR' },
            ],
          },
          { subresource: 'status' },
        );
      await set({ modes: { a: 'RW' } });
      expect((await test('7', '/status/modes/b')).status).toEqual({ modes: { a: 'RW', b: 'ERR' } });
      expect(await errorCodeOf(test('6', '/status/modes/a'))).toBe('KUBE_INVALID');
      expect((await subject.api.get(split, keyOf(made))).status).toEqual({ modes: { a: 'RW', b: 'ERR' } });
    });

    it.each([{ modes: null }, {}])('reject a JSON patch that adds to a missing map: %j', async (status) => {
      const made = await subject.api.create(split, object(split, { spec: { v: 1 } }));
      await subject.api.update(split, { ...made, status }, { subresource: 'status' });
      const body = [{ op: 'add', path: '/status/modes/a', value: 'ERR' }] as const;
      const patch = subject.api.patch(split, keyOf(made), { type: 'json', body }, { subresource: 'status' });
      expect(await errorCodeOf(patch)).toBe('KUBE_INVALID');
      expect((await subject.api.get(split, keyOf(made))).status).toEqual(status);
    });

    it('of an unknown kind are not found', async ({ skip }) => {
      const unknown = { ...plain, resource: 'nosuchkinds', kind: 'NoSuchKind' };
      const code = await errorCodeOf(subject.api.list(unknown, { namespace: subject.namespace }));
      if (code === 'none') return skip('this API takes any kind');
      expect(code).toBe('KUBE_NOT_FOUND');
    });
  });
}

/** Keeps the text of numbers that a double would change, like KubeApi with `numbers: exact`. */
function keepNumbers(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}
