import { aConfigMap } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { parseResourceModifiers } from './parse-modifiers.ts';

const configMap = (data: Record<string, string>) => aConfigMap({ namespace: 'velero', name: 'rules', data });
const parsed = (yaml: string) => parseResourceModifiers(configMap({ 'rules.yaml': yaml }));
const rule = (text: string) =>
  `version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n  ${text.replaceAll('\n', '\n  ')}`;
const conditions = (text: string) =>
  `version: v1\nresourceModifierRules: [{conditions: {groupResource: pods, ${text}}}]`;

const unreadable = 'Error in parsing resource modifiers provided in configmap velero/rules: ';
const invalid = 'Validation error in resource modifiers provided in configmap velero/rules: ';

const refused: [title: string, yaml: string, text: string][] = [
  ['another version', 'version: v2\nresourceModifierRules: []', `${invalid}unsupported resource modifier version v2`],
  ['no version', 'resourceModifierRules: []', `${invalid}unsupported resource modifier version `],
  ['no rules', 'version: v1\nresourceModifierRules: []', `${invalid}resource modifier rules cannot be empty`],
  ['rules that are left out', 'version: v1', `${invalid}resource modifier rules cannot be empty`],
  [
    'a rule without a resource',
    'version: v1\nresourceModifierRules: [{conditions: {namespaces: [shop]}}]',
    `${invalid}groupkResource cannot be empty`,
  ],
  [
    'a rule without conditions',
    'version: v1\nresourceModifierRules: [{patches: [{operation: remove, path: /spec}]}]',
    `${invalid}groupkResource cannot be empty`,
  ],
  [
    'two families of patches',
    rule("patches: [{operation: remove, path: /spec}]\nmergePatches: [{patchData: '{}'}]"),
    `${invalid}only one of patches, mergePatches, strategicPatches can be specified`,
  ],
  [
    'two other families of patches',
    rule("strategicPatches: [{patchData: '{}'}]\nmergePatches: [{patchData: '{}'}]"),
    `${invalid}only one of patches, mergePatches, strategicPatches can be specified`,
  ],
  ['no operation', rule('patches: [{path: /spec}]'), `${invalid}operation cannot be empty`],
  ['an unknown operation', rule('patches: [{operation: put, path: /spec}]'), `${invalid}unsupported operation put`],
  ['no path', rule('patches: [{operation: remove}]'), `${invalid}path cannot be empty`],
  [
    'a path that is none',
    rule('patches: [{operation: remove, path: spec}]'),
    `${invalid}resourceModifierRules[0].patches[0].path: spec does not begin with /`,
  ],
  [
    'a move from nowhere',
    rule('patches: [{operation: move, path: /spec}]'),
    `${invalid}resourceModifierRules[0].patches[0]: move needs from`,
  ],
  ['a match without a path', conditions('matches: [{value: x}]'), `${invalid}path is required for match rule`],
  [
    'an expression that is none',
    conditions('resourceNameRegex: "("'),
    `${invalid}resourceModifierRules[0].conditions.resourceNameRegex: Invalid regular expression`,
  ],
  [
    'a selector that is none',
    conditions('labelSelector: {matchLabels: {"a b": c}}'),
    `${invalid}resourceModifierRules[0].conditions.labelSelector: "a b" is not a valid label key`,
  ],
  [
    'a glob that is not closed',
    'version: v1\nresourceModifierRules: [{conditions: {groupResource: "{pods"}}]',
    `${invalid}resourceModifierRules[0].conditions.groupResource: a brace is not closed`,
  ],
  [
    'a value of broken JSON',
    rule("patches: [{operation: add, path: /spec, value: '{'}]"),
    `${invalid}resourceModifierRules[0].patches[0].value: `,
  ],
  [
    'patch data that is a list',
    rule("mergePatches: [{patchData: '[]'}]"),
    `${invalid}resourceModifierRules[0].mergePatches[0].patchData: it is not a map`,
  ],
  [
    'patch data that is no YAML',
    rule("strategicPatches: [{patchData: '{a'}]"),
    `${invalid}resourceModifierRules[0].strategicPatches[0].patchData: `,
  ],
  ['a key that is spelled wrong', 'version: v1\nrules: []', `${unreadable}line 2: unknown key "rules"`],
  [
    'a key of a rule that is spelled wrong',
    rule('patch: []'),
    `${unreadable}line 4: unknown key "resourceModifierRules[0].patch"`,
  ],
  [
    'a value that is a map instead of a text',
    rule('patches: [{operation: add, path: /spec, value: {a: b}}]'),
    `${unreadable}line 4: resourceModifierRules[0].patches[0].value must be a string`,
  ],
  ['a key twice', 'version: v1\nversion: v1', `${unreadable}line 2: `],
  ['two documents', 'version: v1\n---\nversion: v1', unreadable],
  ['what is too long', `version: v1\n# ${'x'.repeat(300_000)}`, `${unreadable}it is longer than 262144 characters`],
];

describe('rules of resource modifiers', () => {
  it.each(refused)('are rejected: %s', (_title, yaml, text) => {
    expect(() => parsed(yaml)).toThrow(text);
  });

  it.each([{}, { a: 'version: v1', b: 'version: v1' }])('must be the only value of their ConfigMap, not %j', (data) => {
    expect(() => parseResourceModifiers(configMap(data))).toThrow(
      `${unreadable}illegal resource modifiers velero/rules configmap`,
    );
  });

  it.each(['v1', 'V1'])('accept the version %s', (version) => {
    expect(parsed(`version: ${version}\nresourceModifierRules: [{conditions: {groupResource: pods}}]`).rules).toEqual([
      {
        conditions: { groupResource: 'pods', namespaces: [], matches: [] },
        patches: [],
        mergePatches: [],
        strategicPatches: [],
      },
    ]);
  });

  it.each<[written: string, means: unknown]>([
    ['2', 2],
    ['-1.5', -1.5],
    ['"2"', '2'],
    ['007', '007'],
    ['1Gi', '1Gi'],
    ['true', true],
    ['"true"', 'true'],
    ['True', 'True'],
    ['null', null],
    ['', ''],
    ['web', 'web'],
    ['{"a": 1}', { a: 1 }],
    ['[1, "2"]', [1, '2']],
    ['inf', 'inf'],
  ])('read the value %j of a patch as %j', (written, means) => {
    const { rules } = parsed(rule(`patches: [{operation: add, path: /spec, value: '${written}'}]`));
    expect(rules[0]?.patches).toEqual([{ op: 'add', path: '/spec', value: means }]);
  });

  it.each<[written: string, kept: string]>([
    ['9007199254740993', '9007199254740993'],
    ['1.0', '1.0'],
    ['{"big": 12345678901234567890}', '{"big":12345678901234567890}'],
  ])('keep the number in %s', (written, kept) => {
    const { rules } = parsed(rule(`patches: [{operation: add, path: /spec, value: '${written}'}]`));
    expect(JSON.stringify(rules[0]?.patches[0]?.value)).toBe(kept);
  });

  it.each<[data: string, kept: string]>([
    [
      'spec:\n  big: 9007199254740993\n  ratio: 1.0\n  text: "1.0"',
      '{"spec":{"big":9007199254740993,"ratio":1.0,"text":"1.0"}}',
    ],
    ['{"spec": {"replicas": 2, "gone": null}}', '{"spec":{"replicas":2,"gone":null}}'],
    ['metadata: {labels: {on: "yes"}}', '{"metadata":{"labels":{"on":"yes"}}}'],
  ])('read patch data %j', (data, kept) => {
    const { rules } = parsed(rule(`mergePatches:\n- patchData: |\n    ${data.replaceAll('\n', '\n    ')}`));
    expect(JSON.stringify(rules[0]?.mergePatches[0])).toBe(kept);
  });
});
