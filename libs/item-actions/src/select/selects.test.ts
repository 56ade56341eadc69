import { describe, expect, it } from 'vitest';
import type { ResourceSelector } from '../contract/resource-selector.ts';
import { type SelectableItem, selects, selectsResource } from './selects.ts';

const pod: SelectableItem = { groupResource: 'pods', namespace: 'shop', labels: { app: 'db', tier: 'data' } };
const volume: SelectableItem = { groupResource: 'persistentvolumes' };

describe('items that an action applies to', () => {
  it.each<[string, ResourceSelector, SelectableItem, boolean]>([
    ['no selection', {}, pod, true],
    ['its resource', { includedResources: ['pods'] }, pod, true],
    ['another resource', { includedResources: ['pods.metrics.k8s.io'] }, pod, false],
    ['every resource', { includedResources: ['*'] }, volume, true],
    ['all resources except its own', { includedResources: ['*'], excludedResources: ['pods'] }, pod, false],
    ['no resource', { excludedResources: ['*'] }, pod, false],
    ['its namespace', { includedNamespaces: ['shop'] }, pod, true],
    ['another namespace', { includedNamespaces: ['bank'] }, pod, false],
    ['its namespace excluded', { excludedNamespaces: ['shop'] }, pod, false],
    ['a namespace, of a cluster-scoped item', { includedNamespaces: ['bank'] }, volume, true],
    ['its label', { labelSelector: 'app=db' }, pod, true],
    ['its label, with ==', { labelSelector: 'app==db' }, pod, true],
    ['another value of its label', { labelSelector: 'app=web' }, pod, false],
    ['not equal to another value', { labelSelector: 'app!=web' }, pod, true],
    ['not equal, without the label', { labelSelector: 'zone!=a' }, pod, true],
    ['a set of values', { labelSelector: 'app in (web, db)' }, pod, true],
    ['a set of values and another label', { labelSelector: 'app in (web,db),tier=web' }, pod, false],
    ['not in a set of values', { labelSelector: 'app notin (web,db)' }, pod, false],
    ['not in a set, without the label', { labelSelector: 'zone notin (a)' }, pod, true],
    ['a label that exists', { labelSelector: 'app' }, pod, true],
    ['a label that does not exist', { labelSelector: '!app' }, pod, false],
    ['a label, for an item without labels', { labelSelector: 'app' }, volume, false],
  ])('%s', (_title, selector, item, expected) => {
    expect(selects(selector, item)).toBe(expected);
  });

  it('rejects an invalid label selector', () => {
    expect(() => selects({ labelSelector: 'app in db' }, pod)).toThrow('"app in db" is not a label selector');
  });

  it('excludes a resource when the action cannot apply to any of its items', () => {
    expect(selectsResource({ includedResources: ['pods'], includedNamespaces: ['bank'] }, 'pods')).toBe(true);
    expect(selectsResource({ includedResources: ['pods'] }, 'secrets')).toBe(false);
  });
});
