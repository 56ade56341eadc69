import { isAppError } from '@lateen/errors';
import { parseQuantity } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { configMapOf, policiesOf } from '../testing/ask.ts';
import { parseResourcePolicies } from './parse-resource-policies.ts';
import type { VolumeConditions, VolumePolicyAction } from './resource-policies.ts';

/** Code and message of the error, without the name of the ConfigMap. */
function refusal(text: string): string {
  try {
    parseResourcePolicies(configMapOf(text));
  } catch (error) {
    if (!isAppError(error)) throw error;
    const [, how, why] =
      /^fail to (read|validate) (?:the )?ResourcePolicies (?:from|in) ConfigMap velero\/policies with error (.*)$/s.exec(
        error.message,
      ) ?? [];
    return `${how}: ${why}`;
  }
  return 'accepted';
}

describe('the ConfigMap of resource policies', () => {
  it.each<[data: Record<string, string> | undefined, binaryData?: Record<string, string>]>([
    [undefined],
    [{}],
    [{ a: 'version: v1', b: 'version: v1' }],
    [{ a: 'version: v1' }, { b: 'AA==' }],
  ])('must have exactly one key: %j %j', (data, binaryData) => {
    const configMap = {
      ...configMapOf(''),
      ...(data === undefined ? { data: {} } : { data }),
      ...(binaryData && { binaryData }),
    };
    expect(() => parseResourcePolicies(configMap)).toThrow(
      'fail to read the ResourcePolicies from ConfigMap velero/policies with error illegal resource policies velero/policies configmap',
    );
  });

  it('is rejected with a code and a next step', () => {
    const caught = (text: string) => {
      try {
        parseResourcePolicies(configMapOf(text));
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect(caught('a: [')).toMatchObject({ code: 'RESOURCE_POLICIES_UNREADABLE', retry: 'never' });
    expect(caught('version: v2')).toMatchObject({
      code: 'RESOURCE_POLICIES_INVALID',
      nextStep: expect.stringContaining('docs/filters.md'),
    });
  });

  it.each<[text: string, why: string]>([
    ['', 'read: expected a document, but the input is empty'],
    ['version: v1\n---\nversion: v1', 'read: expected a single document in the stream, but found more'],
    ['version: v1\nversion: v1', 'read: line 2: duplicated mapping key'],
    ['version: [', 'read: line 1: unexpected end of the stream within a flow collection'],
    ['- version: v1', 'read: line 1: the policy must be a map'],
    [
      'version: v1\nvolumePolcies: []',
      'read: line 2: unknown key "volumePolcies"; known here: version, volumePolicies, includeExcludePolicy, namespacedFilterPolicies, clusterScopedFilterPolicy, restoreOrder',
    ],
    [
      'version: v1\nvolumePolicies:\n- condition: {}\n  action: {type: skip}',
      'read: line 3: unknown key "volumePolicies[0].condition"; known here: conditions, action',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions:\n    storageclass: [a]\n  action: {type: skip}',
      'read: line 4: unknown key "volumePolicies[0].conditions.storageclass"; known here: capacity, storageClass, nfs, csi, volumeTypes, volumeName, pvcLabels, pvcPhase, pvcVolumeMode, pvcAccessModes',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions:\n    nfs: {host: a}\n  action: {type: skip}',
      'read: line 4: unknown key "volumePolicies[0].conditions.nfs.host"; known here: server, path',
    ],
    [
      'version: v1\nvolumePolicies:\n- action: {type: skip, parameter: {}}',
      'read: line 3: unknown key "volumePolicies[0].action.parameter"; known here: type, parameters',
    ],
    ['version: v1\nvolumePolicies: skip', 'read: line 2: volumePolicies must be a list'],
    [
      'version: v1\nvolumePolicies:\n- conditions:\n    storageClass: gp2\n  action: {type: skip}',
      'read: line 4: volumePolicies[0].conditions.storageClass must be a list',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions:\n    pvcLabels: [a]\n  action: {type: skip}',
      'read: line 4: volumePolicies[0].conditions.pvcLabels must be a map',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions:\n    pvcLabels: {a: [b]}\n  action: {type: skip}',
      'read: line 4: volumePolicies[0].conditions.pvcLabels.a must be a string',
    ],
    ['version: v1\nvolumePolicies:\n- action: {type: delete}', 'read: line 3: invalid action type delete'],
    ['version: v1\nvolumePolicies:\n- action: {}', 'read: line 3: invalid action type '],
    ['version: v1\nvolumePolicies:\n- action: {type: Skip}', 'read: line 3: invalid action type Skip'],
    ['version: v1\nvolumePolicies:\n- conditions: {}', 'validate: volumePolicies[0]: invalid action type'],
    [
      'version: v1\nvolumePolicies:\n- conditions: {capacity: 5Gi}\n  action: {type: skip}',
      'read: line 3: wrong format of Capacity 5Gi',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions: {capacity: "1Gi,2Gi,3Gi"}\n  action: {type: skip}',
      'read: line 3: wrong format of Capacity 1Gi,2Gi,3Gi',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions: {capacity: "1Gi,big"}\n  action: {type: skip}',
      'read: line 3: wrong format of Capacity 1Gi,big: "big" is not a quantity such as 10Gi',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions: {capacity: "2Gi,1Gi"}\n  action: {type: skip}',
      'read: line 3: illegal values for capacity 2Gi,1Gi: the lower bound is above the upper one',
    ],
    [
      'version: v1\nvolumePolicies:\n- conditions: {csi: {volumeAttributes: {a: b}}}\n  action: {type: skip}',
      'read: line 3: csi driver should not be empty when filtering by volume attributes',
    ],
    [
      'version: v1\nvolumePolicies:\n- action: {type: snapshot, parameters: {snapshotClass: [a]}}',
      'read: line 3: volumePolicies[0].action.parameters.snapshotClass must be a string',
    ],
    ['volumePolicies: []', 'validate: incompatible version number  with supported version v1'],
    ['version: v2', 'validate: incompatible version number v2 with supported version v1'],
    ['version: V1', 'validate: incompatible version number V1 with supported version v1'],
    ['version: 1', 'validate: incompatible version number 1 with supported version v1'],
  ])('%j is rejected: %s', (text, why) => expect(refusal(text)).toBe(why));

  it.each<[policy: string, why: string]>([
    ['{includedNamespaceScopedResources: ["*"]}', "cannot use '*' in includes or excludes filters in the policy"],
    ['{excludedNamespaceScopedResources: [pods, "*"]}', "cannot use '*' in includes or excludes filters in the policy"],
    ['{includedClusterScopedResources: ["*"]}', "cannot use '*' in includes or excludes filters in the policy"],
    ['{excludedClusterScopedResources: ["*"]}', "cannot use '*' in includes or excludes filters in the policy"],
    ['{labelSelectorLogic: XOR}', 'labelSelectorLogic must be "OR" or "AND", got "XOR"'],
    ['{labelSelectorLogic: and}', 'labelSelectorLogic must be "OR" or "AND", got "and"'],
    ['{includedNamespacesByLabel: [""]}', 'label selector cannot be empty'],
    ['{excludedNamespacesByLabel: ["  "]}', 'label selector cannot be empty'],
    [
      '{includedNamespacesByLabel: ["a b"]}',
      'invalid label selector: "a b" is not a label selector: a requirement is key=value, key!=value, key in (a,b), key notin (a,b), key or !key',
    ],
    [
      '{excludedNamespacesByLabel: ["a=b c"]}',
      'invalid label selector: "a=b c" is not a label selector: a requirement is key=value, key!=value, key in (a,b), key notin (a,b), key or !key',
    ],
  ])('an includeExcludePolicy of %s is rejected: %s', (policy, why) =>
    expect(refusal(`version: v1\nincludeExcludePolicy: ${policy}`)).toBe(`validate: ${why}`),
  );

  it.each<[policies: string, why: string]>([
    [
      '[{namespaces: [], resourceFilters: [{kinds: [Pod]}]}]',
      'namespacedFilterPolicies[0]: at least one namespace must be specified',
    ],
    ['[{resourceFilters: [{kinds: [Pod]}]}]', 'namespacedFilterPolicies[0]: at least one namespace must be specified'],
    [
      '[{namespaces: [a], resourceFilters: []}]',
      'namespacedFilterPolicies[0]: at least one resourceFilter must be specified',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{}]}, {namespaces: [b]}]',
      'namespacedFilterPolicies[1]: at least one resourceFilter must be specified',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{}, {kinds: ["*"]}]}]',
      'namespacedFilterPolicies[0]: only one catch-all resource filter is allowed',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: []}, {kinds: [Pod]}, {}]}]',
      'namespacedFilterPolicies[0]: only one catch-all resource filter is allowed',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{names: [x]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: names or excludedNames cannot be specified for catch-all filters',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod]}, {kinds: ["*"], excludedNames: [x]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[1]: names or excludedNames cannot be specified for catch-all filters',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: ["*", Pod]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: "*" cannot be combined with other kinds',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [""]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: a kind cannot be empty',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod]}, {kinds: [Secret]}, {kinds: [Pod]}]}]',
      'namespacedFilterPolicies[0]: kind "Pod" appears in both resourceFilters[0] and resourceFilters[2]',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod], labelSelector: {matchLabels: {a: b}}, orLabelSelectors: [{matchLabels: {a: c}}]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: labelSelector and orLabelSelectors cannot co-exist',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod], labelSelector: {matchLabels: {"invalid label key!": b}}}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: invalid label selector: "invalid label key!" is not a valid label key',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod], orLabelSelectors: [{matchExpressions: [{key: a, operator: In}]}]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: invalid label selector: operator In of "a" needs values',
    ],
    [
      '[{namespaces: ["a**"], resourceFilters: [{kinds: [Pod]}]}]',
      'namespacedFilterPolicies[0]: invalid glob pattern "a**": wildcard pattern contains consecutive asterisks (only single * allowed)',
    ],
    [
      '[{namespaces: [""], resourceFilters: [{kinds: [Pod]}]}]',
      'namespacedFilterPolicies[0]: invalid glob pattern "": the name of a namespace cannot be empty',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod], names: ["x{1}"]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: invalid glob pattern "x{1}": wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod], excludedNames: ["x["]}]}]',
      'namespacedFilterPolicies[0].resourceFilters[0]: invalid glob pattern "x[": wildcard pattern contains unclosed bracket \'[\'',
    ],
    [
      '[{namespaces: [a], resourceFilters: [{kinds: [Pod]}]}, {namespaces: [b, a], resourceFilters: [{kinds: [Pod]}]}]',
      "namespacedFilterPolicies: duplicate namespace pattern 'a' found in policies [0 1]",
    ],
    [
      '[{namespaces: ["t*"], resourceFilters: [{}]}, {namespaces: [b], resourceFilters: [{}]}, {namespaces: ["t*"], resourceFilters: [{}]}]',
      "namespacedFilterPolicies: duplicate namespace pattern 't*' found in policies [0 2]",
    ],
  ])('namespacedFilterPolicies of %s are rejected: %s', (policies, why) =>
    expect(refusal(`version: v1\nnamespacedFilterPolicies: ${policies}`)).toBe(`validate: ${why}`),
  );

  it.each<[policy: string, why: string]>([
    [
      '{}',
      'clusterScopedFilterPolicy: resourceFilters cannot be empty; remove the policy block entirely if it is not needed',
    ],
    [
      '{resourceFilters: []}',
      'clusterScopedFilterPolicy: resourceFilters cannot be empty; remove the policy block entirely if it is not needed',
    ],
    [
      '{resourceFilters: [{kinds: [Node]}, {}]}',
      'clusterScopedFilterPolicy.resourceFilters[1]: kinds must be specified (catch-all is not supported)',
    ],
    [
      '{resourceFilters: [{kinds: ["*"]}]}',
      'clusterScopedFilterPolicy.resourceFilters[0]: kinds must be specified (catch-all is not supported)',
    ],
    [
      '{resourceFilters: [{kinds: [Node, PV]}, {kinds: [PV]}]}',
      'clusterScopedFilterPolicy: kind "PV" appears in both resourceFilters[0] and resourceFilters[1]',
    ],
    [
      '{resourceFilters: [{kinds: [Node], labelSelector: {matchLabels: {a: b}}, orLabelSelectors: [{}]}]}',
      'clusterScopedFilterPolicy.resourceFilters[0]: labelSelector and orLabelSelectors cannot co-exist',
    ],
    [
      '{resourceFilters: [{kinds: [Node], names: ["**"]}]}',
      'clusterScopedFilterPolicy.resourceFilters[0]: invalid glob pattern "**": wildcard pattern contains consecutive asterisks (only single * allowed)',
    ],
  ])('a clusterScopedFilterPolicy of %s is rejected: %s', (policy, why) =>
    expect(refusal(`version: v1\nclusterScopedFilterPolicy: ${policy}`)).toBe(`validate: ${why}`),
  );

  it('reports an unknown key of a filter with its line', () => {
    const text =
      'version: v1\nnamespacedFilterPolicies:\n- namespaces: [a]\n  resourceFilters:\n  - kinds: [Pod]\n    labelSelector:\n      app: web\n';
    expect(refusal(text)).toBe(
      'read: line 7: unknown key "namespacedFilterPolicies[0].resourceFilters[0].labelSelector.app"; known here: matchLabels, matchExpressions',
    );
  });
});

describe('parsing a policy file', () => {
  const quantity = (text: string) => {
    const parsed = parseQuantity(text);
    if (parsed === undefined) throw new Error(`${text} is no quantity`);
    return parsed;
  };
  it.each<[conditions: string, expected: VolumeConditions]>([
    ['{}', {}],
    ['', {}],
    ['{capacity: "1Gi,2Gi"}', { capacity: { min: quantity('1Gi'), max: quantity('2Gi') } }],
    ['{capacity: "0,5Gi"}', { capacity: { min: quantity('0'), max: quantity('5Gi') } }],
    ['{capacity: ",5Gi"}', { capacity: { max: quantity('5Gi') } }],
    ['{capacity: "5Gi,"}', { capacity: { min: quantity('5Gi') } }],
    ['{capacity: " 1Gi , 2Gi "}', { capacity: { min: quantity('1Gi'), max: quantity('2Gi') } }],
    ['{capacity: "1Gi,0"}', { capacity: { min: quantity('1Gi') } }],
    ['{capacity: ","}', {}],
    ['{capacity: ""}', {}],
    ['{storageClass: [gp2, "123"]}', { storageClass: ['gp2', '123'] }],
    ['{storageClass: [123, true, null]}', { storageClass: ['123', 'true', 'null'] }],
    ['{nfs: {}}', { nfs: {} }],
    ['{nfs: }', { nfs: {} }],
    ['{nfs: {server: 10.0.0.1, path: /data}}', { nfs: { server: '10.0.0.1', path: '/data' } }],
    ['{csi: {}}', { csi: {} }],
    ['{csi: ~}', { csi: {} }],
    [
      '{csi: {driver: a, volumeAttributes: {x: y, n: 1}}}',
      { csi: { driver: 'a', volumeAttributes: { x: 'y', n: '1' } } },
    ],
    ['{volumeTypes: [emptyDir, image]}', { volumeTypes: ['emptyDir', 'image'] }],
    ['{volumeName: [data]}', { volumeName: ['data'] }],
    ['{pvcLabels: {env: prod}}', { pvcLabels: { env: 'prod' } }],
    ['{pvcPhase: [Pending, Lost]}', { pvcPhase: ['Pending', 'Lost'] }],
    [
      '{pvcVolumeMode: Block, pvcAccessModes: [ReadWriteOnce]}',
      { pvcVolumeMode: 'Block', pvcAccessModes: ['ReadWriteOnce'] },
    ],
  ])('conditions %s', (conditions, expected) => {
    const { volumePolicies } = policiesOf(`volumePolicies:\n- conditions: ${conditions}\n  action: {type: skip}`);
    expect(volumePolicies).toEqual([{ conditions: expected, action: { type: 'skip' } }]);
  });

  it.each<[action: string, expected: VolumePolicyAction]>([
    ['{type: skip}', { type: 'skip' }],
    ['{type: fs-backup}', { type: 'fs-backup' }],
    ['{type: snapshot}', { type: 'snapshot' }],
    ['{type: custom}', { type: 'custom' }],
    [
      '{type: snapshot, parameters: {snapshotClass: gold}}',
      { type: 'snapshot', snapshotClass: 'gold', parameters: { snapshotClass: 'gold' } },
    ],
    [
      '{type: snapshot, parameters: {dataMover: velero, snapshotClass: ""}}',
      { type: 'snapshot', dataMover: 'velero', parameters: { dataMover: 'velero', snapshotClass: '' } },
    ],
    [
      '{type: custom, parameters: {mover: kubevirt, levels: [1, 2]}}',
      { type: 'custom', parameters: { mover: 'kubevirt', levels: ['1', '2'] } },
    ],
    ['{type: skip, parameters: }', { type: 'skip' }],
  ])('action %s', (action, expected) =>
    expect(policiesOf(`volumePolicies: [{action: ${action}}]`).volumePolicies).toEqual([
      { conditions: {}, action: expected },
    ]),
  );

  it('reads all sections into one structure', () => {
    const text = `
includeExcludePolicy:
  includedClusterScopedResources: [crd]
  excludedNamespaceScopedResources: [events]
  includedNamespacesByLabel: ["team=web"]
  labelSelectorLogic: AND
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - kinds: ["*"]
    labelSelector: {matchLabels: {a: "1"}}
  - kinds: [Pod]
    orLabelSelectors: [{matchLabels: {a: "2"}}, {matchExpressions: [{key: b, operator: Exists}]}]
clusterScopedFilterPolicy:
  resourceFilters: [{kinds: [Node], names: [n1], excludedNames: [n2]}]
`;
    expect(policiesOf(text)).toEqual({
      volumePolicies: [],
      includeExcludePolicy: {
        includedClusterScopedResources: ['crd'],
        excludedClusterScopedResources: [],
        includedNamespaceScopedResources: [],
        excludedNamespaceScopedResources: ['events'],
        namespacesByLabel: { included: ['team=web'], excluded: [], logic: 'AND' },
      },
      namespacedFilterPolicies: [
        {
          namespaces: ['shop'],
          resourceFilters: [
            { kinds: [], labelSelectors: [{ matchLabels: { a: '1' } }], names: [], excludedNames: [] },
            {
              kinds: ['Pod'],
              labelSelectors: [{ matchLabels: { a: '2' } }, { matchExpressions: [{ key: 'b', operator: 'Exists' }] }],
              names: [],
              excludedNames: [],
            },
          ],
        },
      ],
      clusterScopedFilterPolicy: {
        resourceFilters: [{ kinds: ['Node'], labelSelectors: [], names: ['n1'], excludedNames: ['n2'] }],
      },
      warnings: [],
    });
  });

  it('accepts common YAML: anchors, comments, blocks, JSON', () => {
    const text = `
# every volume of these classes
volumePolicies:
- conditions: {storageClass: &slow [hdd, tape]}
  action: {type: skip}
- conditions:
    storageClass: *slow
    volumeName: ["data"] # comment
  action: {"type": "fs-backup"}
`;
    expect(policiesOf(text).volumePolicies.map(({ conditions }) => conditions)).toEqual([
      { storageClass: ['hdd', 'tape'] },
      { storageClass: ['hdd', 'tape'], volumeName: ['data'] },
    ]);
  });

  it.each<[conditions: string, warnings: string[]]>([
    ['{pvcPhase: [Bound]}', []],
    [
      '{pvcPhase: [bound, Lost]}',
      ['volumePolicies[0].conditions.pvcPhase: "bound" matches no volume; it can be Pending, Bound, Lost'],
    ],
    [
      '{pvcVolumeMode: block}',
      ['volumePolicies[0].conditions.pvcVolumeMode: "block" matches no volume; it can be Filesystem, Block'],
    ],
    [
      '{pvcAccessModes: [RWX]}',
      [
        'volumePolicies[0].conditions.pvcAccessModes: "RWX" matches no volume; it can be ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod',
      ],
    ],
  ])('conditions %s produce the warnings %j', (conditions, warnings) =>
    expect(policiesOf(`volumePolicies: [{conditions: ${conditions}, action: {type: skip}}]`).warnings).toEqual(
      warnings,
    ),
  );

  it('reads restoreOrder', () => {
    const text =
      'version: v1\nrestoreOrder:\n  - groupKind: Deployment.apps\n    requires: [clusters.postgresql.cnpg.io]';
    expect(parseResourcePolicies(configMapOf(text)).restoreOrder).toEqual([
      { groupKind: 'Deployment.apps', requires: ['clusters.postgresql.cnpg.io'] },
    ]);
  });

  it.each<[order: string, why: string]>([
    ['requires: [pods]', 'restoreOrder[0]: it has no groupKind'],
    ['groupKind: pods', 'restoreOrder[0]: it requires nothing'],
    ['groupKind: "*.apps", requires: [pods]', 'restoreOrder[0]: "*.apps" is not the name of a kind'],
    ['groupKind: pods, requires: [a/b]', 'restoreOrder[0]: "a/b" is not the name of a kind'],
  ])('restoreOrder with %s is rejected: %s', (order, why) =>
    expect(refusal(`version: v1\nrestoreOrder: [{ ${order} }]`)).toBe(`validate: ${why}`),
  );
});
