import type { OwnerReference, Unstructured } from '@lateen/api-types';
import { aConfigMap, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type FoundOwner, ownedAgain } from './owned-again.ts';
import { markedOwners, ownerMarks } from './owner-marks.ts';
import { ownerRulesOf, readOwnerRules } from './owner-rules.ts';

const mark = 'lateen.dev/owners-in-backup';
const owner = (name: string, parts: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.org/v1',
  kind: 'Gadget',
  name,
  uid: `old-${name}`,
  ...parts,
});
const child = (metadata: object = {}, spec: object = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', ...metadata },
  spec,
});

describe('objects whose owner references are restored', () => {
  it.each<[data: Record<string, string>, resource: string, isInScope: boolean]>([
    [{}, 'services', true],
    [{ inScope: '' }, 'services', true],
    [{ inScope: '[services]' }, 'services', true],
    [{ inScope: '- services\n- secrets' }, 'secrets', true],
    [{ inScope: '[services]' }, 'secrets', false],
    [{ inScope: '["*.cnpg.io"]' }, 'poolers.cnpg.io', true],
    [{ inScope: '["*.cnpg.io"]' }, 'services', false],
    [{ inScope: '[]' }, 'services', false],
    ...['pods', 'replicasets.apps', 'replicationcontrollers', 'jobs.batch'].flatMap(
      (resource): [Record<string, string>, string, boolean][] => [
        [{}, resource, false],
        [{ inScope: `[${resource}]` }, resource, false],
      ],
    ),
  ])('rules %j cover %s: %s', (data, resource, isInScope) => {
    expect(ownerRulesOf({ data }).inScope(resource)).toBe(isInScope);
  });

  it.each<[data: Record<string, string>, text: string]>([
    [{ inScope: 'services' }, 'inScope: line 1: inScope must be a list'],
    [{ inScope: '["a**"]' }, 'inScope: a**: wildcard pattern contains consecutive asterisks'],
    [{ specRefPaths: '[{path: /spec/a}]' }, 'specRefPaths[0]: resource cannot be empty'],
    [{ specRefPaths: '[{resource: services, path: spec}]' }, 'specRefPaths[0]: path must begin with /'],
    [{ specRefPaths: '[{resource: services, paths: /a}]' }, 'unknown key "specRefPaths[0].paths"'],
    [{ quiesceOnRestore: '[]' }, 'key "quiesceOnRestore" is not supported; known here: inScope, specRefPaths'],
  ])('rejects %j: %s', (data, text) => {
    expect(() => ownerRulesOf({ data })).toThrow(text);
  });

  it.each<[name: string | undefined, reading: object]>([
    [undefined, { rules: undefined }],
    ['', { rules: undefined }],
    ['good', { rules: expect.anything() }],
    ['missing', { error: expect.stringContaining('velero/missing cannot be used: configmaps "missing" not found') }],
    ['bad', { error: expect.stringContaining('velero/bad cannot be used: key "x" is not supported') }],
  ])('reads the ConfigMap %s', async (name, reading) => {
    const kube = fakeCluster({
      objects: [
        aConfigMap({ namespace: 'velero', name: 'good', data: {} }),
        aConfigMap({ namespace: 'velero', name: 'bad', data: { x: '' } }),
      ],
    });
    const rules = await readOwnerRules({ kube, namespace: 'velero' }, name, new AbortController().signal);
    expect(rules).toEqual(reading);
  });

  it('retries while the API server is unavailable', async () => {
    const kube = fakeCluster().failOnce('get', () => true, 'KUBE_UNAVAILABLE');
    const reading = readOwnerRules({ kube, namespace: 'velero' }, 'x', new AbortController().signal);
    await expect(reading).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
  });
});

describe('the annotation of an object with owners', () => {
  const rules = ownerRulesOf({ data: { inScope: '[services]' } });
  it('records the owners', () => {
    const original = child({ ownerReferences: [owner('a')] });
    const marks = ownerMarks(rules, { groupResource: 'services' }, original) ?? {};
    expect(markedOwners(child({ annotations: marks }))).toEqual([owner('a')]);
  });

  it.each<[title: string, given: Parameters<typeof ownerMarks>]>([
    [
      'the restore does not ask for it',
      [undefined, { groupResource: 'services' }, child({ ownerReferences: [owner('a')] })],
    ],
    ['the resource is out of scope', [rules, { groupResource: 'secrets' }, child({ ownerReferences: [owner('a')] })]],
    ['the object has no owners', [rules, { groupResource: 'services' }, child()]],
    ['the list of owners is empty', [rules, { groupResource: 'services' }, child({ ownerReferences: [] })]],
  ])('is not added when %s', (_title, given) => {
    expect(ownerMarks(...given)).toBeUndefined();
  });

  it.each<[text: string, owners: OwnerReference[]]>([
    ['{', []],
    ['"x"', []],
    ['[null, 7, {"kind": "A"}]', []],
    [JSON.stringify([owner('a'), { ...owner('b'), uid: '' }]), [owner('a')]],
  ])('edited to %s names the owners %j', (text, owners) => {
    expect(markedOwners(child({ annotations: { [mark]: text } }))).toEqual(owners);
  });
});

describe('an object whose owners are restored', () => {
  const found = (reference: OwnerReference): FoundOwner => ({ reference, uid: `new-${reference.name}` });
  const rules = ownerRulesOf({
    data: { specRefPaths: '[{resource: services, path: /spec/ownerUID}, {resource: secrets, path: /spec/other}]' },
  });
  const again = (object: Unstructured, ...owners: OwnerReference[]) =>
    ownedAgain(object, owners.map(found), 'services', rules);

  it.each<[title: string, there: OwnerReference[], owners: OwnerReference[], after: OwnerReference[]]>([
    ['gets them with their new uids', [], [owner('a')], [owner('a', { uid: 'new-a' })]],
    [
      'keeps the other fields of the owner references',
      [],
      [owner('a', { controller: true, blockOwnerDeletion: true })],
      [owner('a', { uid: 'new-a', controller: true, blockOwnerDeletion: true })],
    ],
    ['keeps the owner references that it has', [owner('x')], [owner('a')], [owner('x'), owner('a', { uid: 'new-a' })]],
    ['gets no owner reference twice', [owner('a', { uid: 'new-a' })], [owner('a')], [owner('a', { uid: 'new-a' })]],
    [
      'has only one controller',
      [owner('x', { controller: true })],
      [owner('a', { controller: true }), owner('b')],
      [owner('x', { controller: true }), owner('b', { uid: 'new-b' })],
    ],
    ['gets no reference to an owner that was not found', [], [], []],
  ])('%s', (_title, there, owners, after) => {
    const { metadata } = again(child({ ownerReferences: there, annotations: { [mark]: '[]', note: 'x' } }), ...owners);
    expect([metadata.ownerReferences, metadata.annotations]).toEqual([after, { note: 'x' }]);
  });

  it.each<[spec: object, after: object]>([
    [{ ownerUID: 'old-b' }, { ownerUID: 'new-b' }],
    [{ ownerUID: 'old-c' }, { ownerUID: 'old-c' }],
    [{}, {}],
    [{ other: 'old-a' }, { other: 'old-a' }],
  ])('with an owner in its spec %j gets %j', (spec, after) => {
    expect(again(child({}, spec), owner('a'), owner('b')).spec).toEqual(after);
  });
});
