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

describe('whose owner references are put back', () => {
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
  ])('%j: of %s: %s', (data, resource, isInScope) => {
    expect(ownerRulesOf({ data }).inScope(resource)).toBe(isInScope);
  });

  it.each<[data: Record<string, string>, text: string]>([
    [{ inScope: 'services' }, 'inScope: line 1: inScope must be a list'],
    [{ inScope: '["a**"]' }, 'inScope: a**: wildcard pattern contains consecutive asterisks'],
    [{ specRefPaths: '[{path: /spec/a}]' }, 'specRefPaths[0]: resource cannot be empty'],
    [{ specRefPaths: '[{resource: services, path: spec}]' }, 'specRefPaths[0]: path must begin with /'],
    [{ specRefPaths: '[{resource: services, paths: /a}]' }, 'unknown key "specRefPaths[0].paths"'],
    [{ quiesceOnRestore: '[]' }, 'key "quiesceOnRestore" is not supported; known here: inScope, specRefPaths'],
  ])('%j is refused: %s', (data, text) => {
    expect(() => ownerRulesOf({ data })).toThrow(text);
  });

  it.each<[name: string | undefined, reading: object]>([
    [undefined, { rules: undefined }],
    ['', { rules: undefined }],
    ['good', { rules: expect.anything() }],
    ['missing', { error: expect.stringContaining('velero/missing cannot be used: configmaps "missing" not found') }],
    ['bad', { error: expect.stringContaining('velero/bad cannot be used: key "x" is not supported') }],
  ])('is read of the ConfigMap %s', async (name, reading) => {
    const kube = fakeCluster({
      objects: [
        aConfigMap({ namespace: 'velero', name: 'good', data: {} }),
        aConfigMap({ namespace: 'velero', name: 'bad', data: { x: '' } }),
      ],
    });
    const rules = await readOwnerRules({ kube, namespace: 'velero' }, name, new AbortController().signal);
    expect(rules).toEqual(reading);
  });

  it('is asked again while the API server is away', async () => {
    const kube = fakeCluster().failOnce('get', () => true, 'KUBE_UNAVAILABLE');
    const reading = readOwnerRules({ kube, namespace: 'velero' }, 'x', new AbortController().signal);
    await expect(reading).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
  });
});

describe('the mark of an object that has owners', () => {
  const rules = ownerRulesOf({ data: { inScope: '[services]' } });
  it('says who they were', () => {
    const original = child({ ownerReferences: [owner('a')] });
    const marks = ownerMarks(rules, { groupResource: 'services' }, original) ?? {};
    expect(markedOwners(child({ annotations: marks }))).toEqual([owner('a')]);
  });

  it.each<[title: string, given: Parameters<typeof ownerMarks>]>([
    ['nobody asks for it', [undefined, { groupResource: 'services' }, child({ ownerReferences: [owner('a')] })]],
    ['it is out of scope', [rules, { groupResource: 'secrets' }, child({ ownerReferences: [owner('a')] })]],
    ['it has no owners', [rules, { groupResource: 'services' }, child()]],
    ['its owners are an empty list', [rules, { groupResource: 'services' }, child({ ownerReferences: [] })]],
  ])('is not made when %s', (_title, given) => {
    expect(ownerMarks(...given)).toBeUndefined();
  });

  it.each<[text: string, owners: OwnerReference[]]>([
    ['{', []],
    ['"x"', []],
    ['[null, 7, {"kind": "A"}]', []],
    [JSON.stringify([owner('a'), { ...owner('b'), uid: '' }]), [owner('a')]],
  ])('that somebody has changed to %s names %j', (text, owners) => {
    expect(markedOwners(child({ annotations: { [mark]: text } }))).toEqual(owners);
  });
});

describe('an object whose owners are put back', () => {
  const found = (reference: OwnerReference): FoundOwner => ({ reference, uid: `new-${reference.name}` });
  const rules = ownerRulesOf({
    data: { specRefPaths: '[{resource: services, path: /spec/ownerUID}, {resource: secrets, path: /spec/other}]' },
  });
  const again = (object: Unstructured, ...owners: OwnerReference[]) =>
    ownedAgain(object, owners.map(found), 'services', rules);

  it.each<[title: string, there: OwnerReference[], owners: OwnerReference[], after: OwnerReference[]]>([
    ['gets them with their new uids', [], [owner('a')], [owner('a', { uid: 'new-a' })]],
    [
      'keeps what else is said of them',
      [],
      [owner('a', { controller: true, blockOwnerDeletion: true })],
      [owner('a', { uid: 'new-a', controller: true, blockOwnerDeletion: true })],
    ],
    ['keeps those that it has', [owner('x')], [owner('a')], [owner('x'), owner('a', { uid: 'new-a' })]],
    ['gets none twice', [owner('a', { uid: 'new-a' })], [owner('a')], [owner('a', { uid: 'new-a' })]],
    [
      'has one controller',
      [owner('x', { controller: true })],
      [owner('a', { controller: true }), owner('b')],
      [owner('x', { controller: true }), owner('b', { uid: 'new-b' })],
    ],
    ['gets none that was not found', [], [], []],
  ])('%s', (_title, there, owners, after) => {
    const { metadata } = again(child({ ownerReferences: there, annotations: { [mark]: '[]', note: 'x' } }), ...owners);
    expect([metadata.ownerReferences, metadata.annotations]).toEqual([after, { note: 'x' }]);
  });

  it.each<[spec: object, after: object]>([
    [{ ownerUID: 'old-b' }, { ownerUID: 'new-b' }],
    [{ ownerUID: 'old-c' }, { ownerUID: 'old-c' }],
    [{}, {}],
    [{ other: 'old-a' }, { other: 'old-a' }],
  ])('that names an owner in %j has %j', (spec, after) => {
    expect(again(child({}, spec), owner('a'), owner('b')).spec).toEqual(after);
  });
});
