import { parseExact, type Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { storedText } from './stored-text.ts';

const object = (text: string) => parseExact(text) as Unstructured;
/** Objects in forms that the API server writes. */
const kept = [
  '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"n":9007199254740993,"f":1.0,"e":1e3,"z":-0}',
  '{"apiVersion":"v1","kind":"A","metadata":{"name":"a","annotations":null,"labels":{}},"x":[null,{}]}',
  '{"kind":"A","z":1,"metadata":{"annotations":{"mine":"1"},"name":"a"},"apiVersion":"v1","a":{"b":"\\u2028\\u003c\\u0026\\u003e"}}',
];

describe('storedText', () => {
  it.each(kept)('keeps %s as it came', (text) => {
    expect(storedText(object(text))).toBe(text);
  });

  it.each([
    [{ 'backup.velero.io/must-include-additional-items': 'true' }, undefined],
    [{ 'backup.velero.io/skipped-no-csi-pv': 'true', mine: '1' }, { mine: '1' }],
    [{ 'velero.io/skip-from-backup': 'false' }, { 'velero.io/skip-from-backup': 'false' }],
  ])('removes annotations from %o that are meant only for the engine', (annotations, expected) => {
    const given = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', annotations }, spec: { x: 1 } };
    const before = structuredClone(given);
    expect(JSON.parse(storedText(given as Unstructured))).toEqual({
      ...given,
      metadata: { name: 'a', ...(expected === undefined ? {} : { annotations: expected }) },
    });
    expect(given).toEqual(before);
  });
});
