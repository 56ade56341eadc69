import type { BackupSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { knownNamespaces, knownTypes, typeOf } from '../testing/known-cluster.ts';
import { backupFilters } from './backup-filters.ts';

const filters = (spec: BackupSpec) => backupFilters({ spec, types: knownTypes, namespaces: knownNamespaces });

/** `pods in shop`, or `nodes` for a cluster-scoped object, as a list would bring it. */
function decide(spec: BackupSpec, place: string, origin = {}) {
  const [resource = '', namespace] = place.split(' in ');
  const { kind, namespaced } = typeOf(resource);
  const item = { groupResource: resource, kind, namespaced, namespace, name: 'x', isTerminating: false };
  return filters(spec).decide(item, origin).included ? 'in' : 'out';
}

describe('the old filters of a backup', () => {
  it.each<[BackupSpec, string, 'in' | 'out']>([
    [{}, 'pods in shop', 'in'],
    [{}, 'nodes', 'in'],
    [{ includedResources: ['pods'] }, 'pods in shop', 'in'],
    [{ includedResources: ['pods'] }, 'secrets in shop', 'out'],
  ])('%j: %s is %s', (spec, place, answer) => expect(decide(spec, place)).toBe(answer));
});
