import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type Asked, ask, filtersOf } from '../testing/ask.ts';

const excluded = { 'velero.io/exclude-from-backup': 'true' };
const byLabel = 'it has the label velero.io/exclude-from-backup=true';
const noMatch = 'its labels do not match the label selector of the backup';

describe('rules about the object itself', () => {
  it.each<[what: string, asked: Asked, answer: string]>([
    ['pods shop/a', { isTerminating: true }, 'it is being deleted'],
    ['pods shop/a', { isTerminating: true, additional: true }, 'it is being deleted'],
    ['pods shop/a', { isTerminating: true, mustInclude: true }, 'it is being deleted'],
    ['nodes a', { isTerminating: true }, 'it is being deleted'],
    ['pods shop/a', { labels: excluded }, byLabel],
    ['pods shop/a', { labels: { 'velero.io/exclude-from-backup': 'false' } }, 'in'],
    ['pods shop/a', { labels: { 'velero.io/exclude-from-backup': '' } }, 'in'],
    ['pods shop/a', { labels: excluded, additional: true }, byLabel],
    ['pods shop/a', { labels: excluded, mustInclude: true }, 'in'],
    ['nodes a', { labels: excluded }, byLabel],
    ['secrets kube-system/a', { mustInclude: true, spec: { includedNamespaces: ['shop'] } }, 'in'],
    ['secrets shop/a', { mustInclude: true, spec: { excludedResources: ['secrets'] } }, 'in'],
    ['nodes a', { mustInclude: true, spec: { includeClusterResources: false } }, 'in'],
    ['namespaces shop', { additional: true, spec: { includedNamespaces: ['shop'] } }, 'in'],
    ['namespaces bank', { additional: true, spec: { includedNamespaces: ['shop'] } }, 'namespace bank is not included'],
  ])('%s with %j: %s', (what, asked, answer) => expect(ask(what, asked)).toBe(answer));

  it.each<[spec: BackupSpec, labels: Record<string, string> | undefined, answer: string]>([
    [{ labelSelector: null }, undefined, 'in'],
    [{ labelSelector: {} }, undefined, 'in'],
    [{ labelSelector: { matchLabels: { a: '1' } } }, { a: '1' }, 'in'],
    [{ labelSelector: { matchLabels: { a: '1' } } }, { a: '2' }, noMatch],
    [{ labelSelector: { matchLabels: { a: '1' } } }, undefined, noMatch],
    [{ labelSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] } }, undefined, 'in'],
    [{ orLabelSelectors: [] }, undefined, 'in'],
    [{ orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchLabels: { b: '1' } }] }, { b: '1' }, 'in'],
    [{ orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchLabels: { b: '1' } }] }, { c: '1' }, noMatch],
    [{ orLabelSelectors: [{ matchLabels: { a: '1' } }, {}] }, undefined, 'in'],
  ])('%j: a pod with %j: %s', (spec, labels, answer) =>
    expect(ask('pods shop/a', { spec, ...(labels && { labels }) })).toBe(answer),
  );

  it('does not apply the label selector of the backup to an object that an action names', () => {
    const spec: BackupSpec = { labelSelector: { matchLabels: { a: '1' } } };
    expect(ask('persistentvolumeclaims shop/a', { spec, additional: true })).toBe('in');
    expect(ask('nodes a', { spec })).toBe(noMatch);
  });
});

describe('a resource that the lists exclude', () => {
  it.each<[spec: BackupSpec, resource: string, namespaced: boolean, excludes: boolean]>([
    [{}, 'persistentvolumeclaims', true, false],
    [{ excludedResources: ['pvc'] }, 'persistentvolumeclaims', true, true],
    [{ includedResources: ['pods'] }, 'persistentvolumeclaims', true, true],
    [{ includedNamespaceScopedResources: ['pods'] }, 'persistentvolumeclaims', true, true],
    [{ includedNamespaces: ['shop'] }, 'persistentvolumeclaims', true, false],
    [{ includedNamespaces: ['shop'] }, 'persistentvolumes', false, false],
    [{ includedResources: ['pods'] }, 'persistentvolumes', false, true],
    [{ includedNamespaceScopedResources: ['pods'] }, 'persistentvolumes', false, false],
    [{ includeClusterResources: false }, 'persistentvolumes', false, true],
    [{ excludedClusterScopedResources: ['pv'] }, 'persistentvolumes', false, true],
  ])('%j, %s: %s %s', (spec, resource, namespaced, excludes) =>
    expect(filtersOf({ spec }).excludesResource(resource, namespaced)).toBe(excludes),
  );
});
