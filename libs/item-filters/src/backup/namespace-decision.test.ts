import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type Asked, filtersOf } from '../testing/ask.ts';
import { aLiveNamespace } from '../testing/known-cluster.ts';

const shop = { team: 'web' };
const noMatch = 'its labels do not match, and no object of it is in the backup';

function kept(asked: Asked, hasItems: boolean, labels: Record<string, string> = shop, phase?: 'Terminating') {
  const decision = filtersOf(asked).decideNamespace(aLiveNamespace('shop', labels, phase), hasItems);
  return decision.included ? 'kept' : decision.reason;
}

/** backup-and-restore.md section 2.7. */
describe('which Namespaces are stored', () => {
  const web = { labelSelector: { matchLabels: { team: 'web' } } };
  const other = { labelSelector: { matchLabels: { team: 'other' } } };
  it.each<[spec: BackupSpec, hasItems: boolean, answer: string]>([
    [{}, false, 'kept'],
    [{}, true, 'kept'],
    [{ includedNamespaces: ['*'] }, false, 'kept'],
    [{ includedNamespaces: ['shop'] }, false, 'kept'],
    [{ includedNamespaces: ['bank'] }, false, 'namespace shop is not included'],
    [{ includedNamespaces: ['bank'] }, true, 'namespace shop is not included'],
    [{ excludedNamespaces: ['shop'] }, true, 'namespace shop is not included'],
    [{ ...web }, false, 'kept'],
    [{ ...other }, false, noMatch],
    [{ ...other }, true, 'kept'],
    [{ ...other, includedNamespaces: ['*'] }, false, noMatch],
    [{ ...other, includedNamespaces: ['shop'] }, false, 'kept'],
    [{ ...other, includedNamespaces: ['sh*'] }, false, 'kept'],
    // Velero keeps an excluded namespace when its labels match (its issue 10209).
    [{ ...web, excludedNamespaces: ['shop'] }, false, 'namespace shop is not included'],
    [{ orLabelSelectors: [other.labelSelector, web.labelSelector] }, false, 'kept'],
    [{ orLabelSelectors: [other.labelSelector] }, false, noMatch],
    [{ includedResources: ['configmaps'] }, false, 'kept'],
    [{ includeClusterResources: false }, false, 'kept'],
    [{ includedClusterScopedResources: ['nodes'] }, false, 'kept'],
    [{ includedClusterScopedResources: ['*'], excludedNamespaces: ['shop'] }, false, 'namespace shop is not included'],
    [{ excludedResources: ['namespaces'] }, true, 'excludedResources has namespaces'],
    [{ excludedResources: ['ns'] }, true, 'excludedResources has namespaces'],
    [{ excludedClusterScopedResources: ['*'] }, true, 'excludedClusterScopedResources has namespaces'],
  ])('%j, objects of the namespace in the backup: %s: %s', (spec, hasItems, answer) =>
    expect(kept({ spec }, hasItems)).toBe(answer),
  );

  it('excludes namespaces that are being deleted or have the exclude label', () => {
    expect(kept({}, true, shop, 'Terminating')).toBe('it is being deleted');
    expect(kept({}, true, { 'velero.io/exclude-from-backup': 'true' })).toBe(
      'it has the label velero.io/exclude-from-backup=true',
    );
  });

  it.each<[filter: string, hasItems: boolean, answer: string]>([
    ['names: ["sh*"]', false, 'kept'],
    ['names: [bank]', true, 'clusterScopedFilterPolicy.resourceFilters[0] does not include its name'],
    ['labelSelector: {matchLabels: {team: web}}', false, 'kept'],
    ['labelSelector: {matchLabels: {team: other}}', false, noMatch],
    ['labelSelector: {matchLabels: {team: other}}', true, 'kept'],
  ])('with a Namespace filter %s, objects of the namespace in the backup: %s: %s', (filter, hasItems, answer) => {
    const policies = `clusterScopedFilterPolicy: {resourceFilters: [{kinds: [Namespace], ${filter}}]}`;
    expect(kept({ policies }, hasItems)).toBe(answer);
  });
});
