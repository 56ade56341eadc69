import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { changedFields } from './changed-fields.ts';

const object = (more: Record<string, unknown>, metadata: Record<string, unknown> = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', ...metadata },
  ...more,
});

describe('changedFields', () => {
  it('names the fields that differ, and never shows a value', () => {
    const before = object({ data: { a: 'old-secret', b: '1' }, list: [{ x: 1 }] });
    const after = object({ data: { a: 'new-secret', b: '1', c: '2' }, list: [{ x: 2 }] });
    expect(changedFields(before, after)).toEqual(['data.a', 'data.c', 'list.0.x']);
  });
  it('ignores fields that the server writes', () => {
    const before = object({ status: { a: 1 } }, { resourceVersion: '1', generation: 1, managedFields: [] });
    const after = object({ status: { a: 2 } }, { resourceVersion: '2', generation: 2, managedFields: [1] });
    expect(changedFields(before, after)).toEqual([]);
  });
  it('summarizes many fields by count', () => {
    const numbers = (add: number) => Object.fromEntries([...'abcdefg'].map((key, at) => [key, at + add]));
    expect(changedFields(object({ spec: numbers(0) }), object({ spec: numbers(1) }))).toEqual([
      'spec.a',
      'spec.b',
      'spec.c',
      'spec.d',
      'and 3 more',
    ]);
  });
});
