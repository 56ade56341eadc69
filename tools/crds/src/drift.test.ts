import { describe, expect, it } from 'vitest';
import { driftOf } from './drift.ts';
import { header, renderYaml } from './render-yaml.ts';

const wanted = new Map([['a.yaml', renderYaml({ spec: { scope: 'Namespaced', names: ['x', 'y'] } })]]);

describe('driftOf', () => {
  it('returns nothing when the files are the same', () => {
    expect(driftOf(wanted, wanted)).toEqual([]);
  });

  it('names a missing file', () => {
    expect(driftOf(wanted, new Map())).toEqual(['a.yaml: is not there']);
  });

  it('names every place where the content differs', () => {
    const found = new Map([['a.yaml', renderYaml({ spec: { scope: 'Cluster', names: ['x'], more: 1 } })]]);
    expect(driftOf(wanted, found).sort()).toEqual([
      'a.yaml: spec.more: expected nothing, found 1',
      'a.yaml: spec.names[1]: expected "y", found nothing',
      'a.yaml: spec.scope: expected "Namespaced", found "Cluster"',
    ]);
  });

  it('counts the differences that it does not list', () => {
    const many = (value: number) =>
      renderYaml(Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`k${i}`, value])));
    const lines = driftOf(new Map([['a.yaml', many(1)]]), new Map([['a.yaml', many(2)]]));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('a.yaml: and 3 more');
  });

  it('finds a change without a meaning, because the files are compared byte by byte', () => {
    const found = new Map([['a.yaml', `${wanted.get('a.yaml')}# note\n`]]);
    expect(driftOf(wanted, found)).toEqual(['a.yaml: says the same in other words (comments, order or layout)']);
  });

  it('reports a file that is not YAML', () => {
    expect(driftOf(wanted, new Map([['a.yaml', 'a: [']]))[0]).toMatch(/^a\.yaml: is not YAML: /);
  });

  it('reports generated files of removed kinds, and ignores other files', () => {
    const found = new Map([...wanted, ['old.yaml', `${header}a: 1\n`], ['own.yaml', 'a: 1\n']]);
    expect(driftOf(wanted, found)).toEqual(['old.yaml: belongs to no kind any more']);
  });
});

describe('renderYaml', () => {
  it('returns the same bytes for any order of keys', () => {
    expect(renderYaml({ b: [{ d: 1, c: 2 }], a: '' })).toBe(renderYaml({ a: '', b: [{ c: 2, d: 1 }] }));
  });
});
