import type { BackupSpec } from '@lateen/api-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemOf, policiesOf } from '../testing/ask.ts';
import { knownNamespaces, knownTypes } from '../testing/known-cluster.ts';
import { backupFilters } from './backup-filters.ts';
import { explainItem } from './explain-item.ts';

const input = (spec: BackupSpec, policies?: string) => ({
  spec,
  policies: policies === undefined ? undefined : policiesOf(policies),
  types: knownTypes,
  namespaces: knownNamespaces,
});

const passes = [
  'deletion',
  'label velero.io/exclude-from-backup',
  'namespaces of the backup',
  'resources of the backup',
  "kinds of the namespace's filter policy",
  'names of the fine-grained filter',
  'labels',
].map((rule) => ({ rule }));

describe('why an object is included in a backup or not', () => {
  it('lists each rule that an included object passes', () => {
    expect(explainItem(input({}), itemOf('pods shop/a'))).toEqual({ included: true, steps: passes });
  });

  it('ends with the rule that excludes the object', () => {
    expect(explainItem(input({ includedResources: ['secrets'] }), itemOf('pods shop/a'))).toEqual({
      included: false,
      reason: 'includedResources does not have pods',
      steps: [
        ...passes.slice(0, 3),
        { rule: 'resources of the backup', leavesOut: 'includedResources does not have pods' },
      ],
    });
  });

  it('for an object that must be included, checks only whether it is being deleted', () => {
    const item = itemOf('pods shop/a');
    expect(explainItem(input({ excludedNamespaces: ['shop'] }), item, { mustInclude: true }).steps).toEqual([
      { rule: 'deletion' },
    ]);
  });

  it.each<[spec: BackupSpec, answer: string]>([
    [{}, 'in'],
    [{ includedResources: ['pods'] }, 'in'],
    [{ includedNamespaces: ['bank'] }, 'namespace shop is not included'],
    [
      { labelSelector: { matchLabels: { a: '1' } } },
      'its labels do not match; it is stored only with an object of it that is in the backup',
    ],
    [{ excludedResources: ['ns'] }, 'excludedResources has namespaces'],
  ])('applies the rules for Namespaces, %j: %s', (spec, answer) => {
    const explained = explainItem(input(spec), itemOf('namespaces shop'));
    expect(explained.included ? 'in' : explained.reason).toBe(answer);
  });

  it('applies the normal rules to a Namespace that an action names', () => {
    const spec: BackupSpec = { labelSelector: { matchLabels: { a: '1' } } };
    expect(explainItem(input(spec), itemOf('namespaces shop'), { additional: true }).steps).toEqual(passes);
    expect(explainItem(input(spec), itemOf('namespaces shop'), { mustInclude: true }).steps).toEqual([
      { rule: 'deletion' },
    ]);
  });

  it('gives the same decision as the backup', () => {
    const names = fc.subarray(['pods', 'cm', '*.example.com', 'nodes', 'secrets']);
    const namespaces = fc.subarray(['shop', 'sh*', 'bank', 'gone']);
    const spec = fc.record<BackupSpec>(
      {
        includedResources: names,
        excludedResources: names,
        includedNamespaces: namespaces,
        excludedNamespaces: namespaces,
        includeClusterResources: fc.constantFrom(true, false, null),
        labelSelector: fc.constantFrom(null, { matchLabels: { a: '1' } }),
      },
      { requiredKeys: [] },
    );
    const policies = fc.constantFrom(
      undefined,
      'namespacedFilterPolicies: [{namespaces: ["s*"], resourceFilters: [{kinds: [Pod], names: ["a*"]}]}]',
    );
    const what = fc.constantFrom(
      'pods shop/a',
      'pods bank/b',
      'configmaps shop/a',
      'widgets.example.com shop-test/a',
      'nodes a',
    );
    const state = fc.record({
      labels: fc.constantFrom({}, { a: '1' }, { 'velero.io/exclude-from-backup': 'true' }),
      isTerminating: fc.boolean(),
    });
    const origin = fc.record({ additional: fc.boolean(), mustInclude: fc.boolean() });
    fc.assert(
      fc.property(spec, policies, what, state, origin, (chosen, text, asked, facts, how) => {
        const item = itemOf(asked, facts);
        const { steps, ...explained } = explainItem(input(chosen, text), item, how);
        expect(explained).toEqual(backupFilters(input(chosen, text)).decide(item, how));
        expect(steps.at(-1)?.leavesOut).toBe(explained.included ? undefined : explained.reason);
      }),
      { numRuns: 500 },
    );
  });

  it('includes only objects that the list plan contains', () => {
    // A backup finds objects only in its lists, so each included object must be in one of them.
    const selectors = fc.constantFrom<BackupSpec[]>(
      {},
      { labelSelector: { matchLabels: { a: '1' } } },
      { orLabelSelectors: [{ matchLabels: { a: '1' } }, { matchLabels: { b: '1' } }] },
    );
    const policy = fc.constantFrom(
      undefined,
      'namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [Pod], labelSelector: {matchLabels: {b: "1"}}}]}]',
      'namespacedFilterPolicies: [{namespaces: ["*"], resourceFilters: [{labelSelector: {matchLabels: {a: "1"}}}, {kinds: [Secret]}]}]',
    );
    const chosen = fc.subarray(['shop', 'sh*', 'bank']);
    const labels = fc.constantFrom<Record<string, string>>({}, { a: '1' }, { b: '1' });
    const what = fc.constantFrom(
      'pods shop/a',
      'pods bank/a',
      'secrets shop-test/a',
      'configmaps kube-system/a',
      'nodes a',
    );
    fc.assert(
      fc.property(selectors, policy, chosen, labels, what, (spec, text, includedNamespaces, own, asked) => {
        const filters = backupFilters(input({ ...spec, includedNamespaces }, text));
        const item = itemOf(asked, { labels: own });
        if (!filters.decide(item).included) return;
        const type = knownTypes.find(({ kind }) => kind === item.kind);
        const plan = type && filters.listPlan(type);
        const isThere = plan?.namespaces === 'all' || plan?.namespaces.includes(item.namespace ?? '') === true;
        const isSelected =
          plan?.labelSelectors.length === 0 || plan?.labelSelectors.some((text) => own[text.slice(0, 1)] === '1');
        expect({ asked, isThere, isSelected }).toEqual({ asked, isThere: true, isSelected: true });
      }),
      { numRuns: 1_000 },
    );
  });
});
