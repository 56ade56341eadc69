import { describe, expect, it } from 'vitest';
import type { NameLists } from '../names/name-lists.ts';
import type { NamespacesByLabel } from '../policies/resource-policies.ts';
import { aLiveNamespace, knownNamespaces } from '../testing/known-cluster.ts';
import { namespaceSelection } from './namespace-selection.ts';

const nothing: NamespacesByLabel = { included: [], excluded: [], logic: 'OR' };
const select = (lists: NameLists, byLabel: Partial<NamespacesByLabel> = {}) =>
  namespaceSelection(lists, { ...nothing, ...byLabel }, knownNamespaces);

const all = ['bank', 'kube-system', 'shop', 'shop-test'];

describe('the namespaces of a backup', () => {
  it.each<[NameLists, string[]]>([
    [{}, all],
    [{ included: null }, all],
    [{ included: ['*'] }, all],
    [{ included: ['shop'] }, ['shop']],
    [{ included: ['shop', 'bank'] }, ['bank', 'shop']],
    [{ included: ['shop*'] }, ['shop', 'shop-test']],
    [{ included: ['shop-*'] }, ['shop-test']],
    [{ included: ['?ank'] }, ['bank']],
    [{ included: ['[bk]*'] }, ['bank', 'kube-system']],
    [{ included: ['*-*'] }, ['kube-system', 'shop-test']],
    [{ included: ['nowhere'] }, []],
    [{ included: ['no*'] }, []],
    [{ included: [''] }, []],
    [{ included: ['', 'shop'] }, ['shop']],
    [{ excluded: ['shop'] }, ['bank', 'kube-system', 'shop-test']],
    [{ excluded: ['kube-*', 'shop*'] }, ['bank']],
    [{ excluded: ['nowhere'] }, all],
    [{ included: ['shop*'], excluded: ['shop-test'] }, ['shop']],
    [{ included: ['shop*'], excluded: ['*-test'] }, ['shop']],
    [{ included: ['shop'], excluded: ['shop*'] }, []],
    [{ included: ['*'], excluded: ['kube-*'] }, ['bank', 'shop', 'shop-test']],
  ])('%j: %j', (lists, names) => expect(select(lists).names).toEqual(names));

  it.each<[NameLists, Partial<NamespacesByLabel>, string[]]>([
    [{}, { included: ['team=web'] }, ['shop', 'shop-test']],
    [{}, { included: ['team=web', 'team=money'] }, ['bank', 'shop', 'shop-test']],
    [{}, { included: ['team=web', 'env=prod'], logic: 'AND' }, ['shop']],
    [{}, { included: ['team=web,env=prod'] }, ['shop']],
    [{}, { included: ['team in (web,money)'], excluded: ['env=test'] }, ['bank', 'shop']],
    [{}, { included: ['!team'] }, ['kube-system']],
    [{}, { included: ['team=nobody'] }, []],
    [{ included: ['bank'] }, { included: ['team=nobody'] }, ['bank']],
    [{ included: ['bank'] }, { included: ['env=test'] }, ['bank', 'shop-test']],
    // The server sets this when nothing was selected.
    [{ included: ['*'] }, { included: ['env=test'] }, ['shop-test']],
    [{ included: ['*'] }, { included: ['team=nobody'] }, []],
    [{ excluded: ['shop'] }, { included: ['team=web'] }, ['shop-test']],
    [{ excluded: ['shop-*'] }, { included: ['team=web'] }, ['shop']],
    [{}, { excluded: ['env=prod'] }, ['kube-system', 'shop-test']],
    [{}, { excluded: ['env=prod', 'team=web'], logic: 'AND' }, ['bank', 'kube-system', 'shop-test']],
    [{ included: ['shop'] }, { excluded: ['team=web'] }, []],
    [{ included: ['*'] }, { excluded: ['team=web'] }, ['bank', 'kube-system']],
  ])('%j with labels %j: %j', (lists, byLabel, names) => expect(select(lists, byLabel).names).toEqual(names));

  it.each<[NameLists, Partial<NamespacesByLabel>, boolean]>([
    [{}, {}, true],
    [{ included: ['*'] }, {}, true],
    [{ included: ['shop*', 'bank'] }, {}, false],
    // All existing namespaces, as in Velero.
    [{ included: ['shop*', 'bank', 'kube-system'] }, {}, true],
    [{ included: ['*-*', '????'] }, {}, true],
    [{ included: ['gone-*'] }, {}, false],
    [{ excluded: ['gone-*'] }, {}, true],
    [{ excluded: ['shop-*'] }, {}, false],
    [{ excluded: ['nowhere'] }, {}, false],
    [{ included: [''] }, {}, false],
    [{}, { included: ['env'] }, false],
    [{ included: ['*'] }, { included: ['env'] }, false],
    [{}, { excluded: ['env=test'] }, false],
    [{}, { excluded: ['env=nobody'] }, true],
  ])('%j with labels %j selects all namespaces: %s', (lists, byLabel, everything) =>
    expect(select(lists, byLabel).everything).toBe(everything),
  );

  it('selects all namespaces even when the server has excluded a marked namespace', () => {
    const marked = aLiveNamespace('scratch', { 'velero.io/exclude-from-backup': 'true' });
    const selection = namespaceSelection({ included: ['*'], excluded: ['scratch'] }, nothing, [
      ...knownNamespaces,
      marked,
    ]);
    expect(selection).toMatchObject({ everything: true, names: all });
  });

  it.each<[NameLists, string[]]>([
    [{}, []],
    [{ included: ['shop', 'gone'] }, ['gone']],
    [{ included: ['gone-*'] }, []],
    [{ included: ['gone'], excluded: ['gone'] }, []],
    [{ included: ['gone'], excluded: ['g*'] }, []],
    [{ excluded: ['gone'] }, []],
    [{ included: ['b', 'a'] }, ['a', 'b']],
  ])('%j: missing are %j', (lists, missing) => expect(select(lists).missing).toEqual(missing));

  it.each<[NameLists, Partial<NamespacesByLabel>, boolean]>([
    [{}, {}, true],
    [{ included: ['new-*'] }, {}, true],
    [{ included: ['shop'] }, {}, false],
    [{ excluded: ['new*'] }, {}, false],
    // Its labels are unknown, so a selection by labels does not include it yet.
    [{}, { included: ['team=web'] }, false],
    [{}, { excluded: ['team=web'] }, true],
  ])('%j with labels %j includes a namespace that is created later: %s', (lists, byLabel, includes) => {
    const selection = select(lists, byLabel);
    expect([selection.includes('new-one'), selection.includes('new-one')]).toEqual([includes, includes]);
  });
});
