import { expect, it } from 'vitest';
import { storageAnnotations } from '../names/annotations.ts';
import { fieldWriters, writersOf } from './field-writers.ts';

it('contain each field once, and every annotation of Lateen', () => {
  const fields = fieldWriters.map(({ kind, path }) => [kind, ...path].join('/'));
  expect(new Set(fields).size).toBe(fields.length);
  const annotations = fieldWriters.filter(({ path }) => path[1] === 'annotations').map(({ path }) => path[2]);
  expect(annotations.toSorted()).toEqual(Object.values(storageAnnotations).toSorted());
});

it.each([
  ['Volume', ['status', 'state'], ['volume']],
  ['Volume', ['status', 'kubernetesStatus', 'pvName'], ['kubernetes-pv']],
  ['Volume', ['spec', 'size'], undefined],
  ['Engine', ['status', 'replicaModeMap', 'vol-r-1'], ['recorder', 'engine']],
  ['Engine', ['status', 'endpoint'], ['engine']],
  ['Engine', ['metadata', 'annotations', storageAnnotations.generation], ['volume']],
  ['Orphan', ['spec'], undefined],
])('%s %j is written by %j', (kind, path, writers) => {
  expect(writersOf(kind, path)?.writers).toEqual(writers);
});
