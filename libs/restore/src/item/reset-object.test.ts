import type { Unstructured } from '@lateen/api-types';
import { parseExact, stringify } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { resetObject } from './reset-object.ts';

const full = (): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'settings',
    namespace: 'shop',
    labels: { app: 'web' },
    annotations: { note: 'x' },
    finalizers: ['example.org/keep'],
    managedFields: [{ manager: 'kubectl' }],
    generateName: 'settings-',
    selfLink: '/api/v1',
    uid: 'u-1',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2029-01-01T00:00:00Z',
    deletionTimestamp: '2029-02-01T00:00:00Z',
    deletionGracePeriodSeconds: 30,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-2' }],
  },
  spec: { a: 1 },
  status: { phase: 'Ready' },
});

describe('resetObject', () => {
  it.each([
    'generateName',
    'selfLink',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'ownerReferences',
  ])('removes metadata.%s', (field) => {
    expect(resetObject(full()).metadata).not.toHaveProperty(field);
  });

  it.each(['name', 'namespace', 'labels', 'annotations', 'finalizers', 'managedFields'])(
    'keeps metadata.%s',
    (field) => {
      expect(resetObject(full()).metadata[field]).toEqual(full().metadata[field]);
    },
  );

  it('keeps everything but the status, with order and numbers as written', () => {
    const text =
      '{"kind":"Gadget","apiVersion":"example.org/v1","metadata":{"name":"g"},"spec":{"big":9007199254740993,"r":1.0}}';
    const withStatus = text.replace(/}$/, ',"status":{"n":1}}');
    expect(stringify(resetObject(parseExact(withStatus) as Unstructured))).toBe(text);
  });

  it('returns a copy', () => {
    const given = full();
    resetObject(given);
    expect(given).toEqual(full());
  });
});
