import type { BackupHooks, BackupResourceHookSpec, Pod } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { PodHook } from '../hook/pod-hook.ts';
import { backupHooksOf } from './backup-hooks-of.ts';

const pre = (fields: Record<string, string>) => annotations('pre.hook.backup.velero.io', fields);
const post = (fields: Record<string, string>) => annotations('post.hook.backup.velero.io', fields);
const bare = (fields: Record<string, string>) => annotations('hook.backup.velero.io', fields);

function annotations(prefix: string, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix}/${field}`, value]));
}

/** A pod with two containers, an init container that ends and one that keeps running. */
function podWith(marks: Record<string, string>): Pod {
  const container = (name: string, more = {}) => ({ name, image: 'i', ...more });
  return aPod({
    name: 'db-0',
    namespace: 'shop',
    labels: { app: 'db' },
    annotations: marks,
    phase: 'Running',
    spec: {
      containers: [container('db'), container('metrics')],
      initContainers: [container('prepare'), container('proxy', { restartPolicy: 'Always' })],
    },
  });
}

const specHook = (parts: Partial<BackupResourceHookSpec> = {}): BackupHooks => ({
  resources: [
    { name: 'freeze', pre: [{ exec: { command: ['sync'] } }], post: [{ exec: { command: ['thaw'] } }], ...parts },
  ],
});

const annotated = (parts: Partial<PodHook>): PodHook => ({
  name: '<from-annotation>',
  source: 'annotation',
  phase: 'pre',
  container: 'db',
  command: ['/bin/sync'],
  timeoutMs: 30_000,
  remarks: [],
  ...parts,
});

describe('backupHooksOf with annotations', () => {
  const command = '/bin/sync';
  const rows: [string, Record<string, string>, PodHook[]][] = [
    ['none', {}, []],
    ['an empty command is none', pre({ command: '' }), []],
    ['other annotations alone are none', pre({ container: 'db', timeout: '1m', 'on-error': 'Fail' }), []],
    ['pre. with everything left out', pre({ command }), [annotated({})]],
    ['no prefix means before', bare({ command }), [annotated({})]],
    [
      'pre. hides what has no prefix',
      { ...pre({ command: 'a' }), ...bare({ command: 'b' }) },
      [annotated({ command: ['a'] })],
    ],
    [
      'a pre. without a command hides nothing, and lends nothing',
      { ...pre({ timeout: '5m' }), ...bare({ command }) },
      [annotated({})],
    ],
    ['post. says nothing of before', post({ command }), []],
    [
      'a JSON array',
      pre({ command: '["/bin/sh", "-c", "a; b"]' }),
      [annotated({ command: ['/bin/sh', '-c', 'a; b'] })],
    ],
    [
      'one text is one program, whatever is in it',
      pre({ command: 'sh -c "a"' }),
      [annotated({ command: ['sh -c "a"'] })],
    ],
    ['broken JSON is one program', pre({ command: '["a"' }), [annotated({ command: ['["a"'] })]],
    ['JSON of something else than texts is one program', pre({ command: '[1]' }), [annotated({ command: ['[1]'] })]],
    [
      'an empty array cannot be run',
      pre({ command: '[]' }),
      [annotated({ command: [], flaw: 'the hook has no command' })],
    ],
    ['another container', pre({ command, container: 'metrics' }), [annotated({ container: 'metrics' })]],
    ['a container that restarts', pre({ command, container: 'proxy' }), [annotated({ container: 'proxy' })]],
    [
      'an init container that has ended',
      pre({ command, container: 'prepare' }),
      [annotated({ container: 'prepare', flaw: 'no such container: "prepare"' })],
    ],
    [
      'a container that is not there',
      pre({ command, container: 'x' }),
      [annotated({ container: 'x', flaw: 'no such container: "x"' })],
    ],
    ['an empty container is the first one', pre({ command, container: '' }), [annotated({})]],
    ['on-error Fail', pre({ command, 'on-error': 'Fail' }), [annotated({ onError: 'Fail' })]],
    ['on-error Continue', pre({ command, 'on-error': 'Continue' }), [annotated({ onError: 'Continue' })]],
    ['on-error empty', pre({ command, 'on-error': '' }), [annotated({})]],
    [
      'on-error in another case',
      pre({ command, 'on-error': 'fail' }),
      [annotated({ remarks: ['on-error "fail" is neither Continue nor Fail and counts as not set'] })],
    ],
    ['a timeout', pre({ command, timeout: '2m30s' }), [annotated({ timeoutMs: 150_000 })]],
    ['a timeout of zero', pre({ command, timeout: '0' }), [annotated({})]],
    ...['soon', '-1s', '30'].map((timeout): [string, Record<string, string>, PodHook[]] => [
      `a timeout of ${timeout}`,
      pre({ command, timeout }),
      [annotated({ remarks: [`timeout "${timeout}" is not a duration above zero such as 5m, so 30s is used`] })],
    ]),
  ];
  it.each(rows)('%s', (_title, marks, expected) => {
    expect(backupHooksOf(podWith(marks), 'pre', undefined)).toEqual(expected);
  });

  it('reads post. annotations after the backup, and the annotations without a prefix before it', () => {
    const pod = podWith({ ...post({ command }), ...bare({ command: 'other' }) });
    expect(backupHooksOf(pod, 'post', undefined)).toEqual([annotated({ phase: 'post' })]);
    expect(backupHooksOf(podWith(bare({ command })), 'post', undefined)).toEqual([]);
  });

  it('ignore the hooks of the spec only in their own phase', () => {
    const pod = podWith(pre({ command }));
    expect(backupHooksOf(pod, 'pre', specHook())).toEqual([annotated({})]);
    expect(backupHooksOf(pod, 'post', specHook())).toMatchObject([
      { name: 'freeze', source: 'spec', command: ['thaw'] },
    ]);
  });
});

describe('backupHooksOf with the spec', () => {
  it.each<[string, BackupHooks | null | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['no list', {}],
    ['a list of null', { resources: null }],
    ['hooks for the other phase', specHook({ pre: [] })],
  ])('%s gives none', (_title, hooks) => {
    expect(backupHooksOf(podWith({}), 'pre', hooks)).toEqual([]);
  });

  it('returns every hook of every entry that applies, in order', () => {
    const hooks: BackupHooks = {
      resources: [
        { name: 'one', pre: [{ exec: { command: ['a'] } }, { exec: { command: ['b'], container: 'metrics' } }] },
        { name: 'other', includedNamespaces: ['elsewhere'], pre: [{ exec: { command: ['x'] } }] },
        { name: 'two', pre: [{ exec: { command: ['c'], onError: 'Fail', timeout: '1m0s' } }] },
      ],
    };
    const shared = { source: 'spec', phase: 'pre', container: 'db', timeoutMs: 30_000, remarks: [] };
    expect(backupHooksOf(podWith({}), 'pre', hooks)).toEqual([
      { ...shared, name: 'one', command: ['a'] },
      { ...shared, name: 'one', command: ['b'], container: 'metrics' },
      { ...shared, name: 'two', command: ['c'], onError: 'Fail', timeoutMs: 60_000 },
    ]);
  });

  const expression = (operator: string, values?: string[], key = 'app') => ({
    labelSelector: { matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] },
  });
  it.each<[boolean, string, Partial<BackupResourceHookSpec>]>([
    [true, 'no filter', {}],
    [
      true,
      'empty lists',
      { includedNamespaces: [], excludedNamespaces: [], includedResources: [], excludedResources: [] },
    ],
    [
      true,
      'null lists',
      { includedNamespaces: null, excludedNamespaces: null, includedResources: null, labelSelector: null },
    ],
    [true, 'its namespace', { includedNamespaces: ['shop'] }],
    [true, 'all namespaces', { includedNamespaces: ['*'] }],
    [true, 'a pattern', { includedNamespaces: ['sh?p'] }],
    [true, 'another pattern', { includedNamespaces: ['[a-z]h*'] }],
    [false, 'another namespace', { includedNamespaces: ['shopping'] }],
    [false, 'its namespace excluded', { includedNamespaces: ['*'], excludedNamespaces: ['shop'] }],
    [false, 'its namespace excluded by a pattern', { excludedNamespaces: ['s*'] }],
    [true, 'pods', { includedResources: ['pods'] }],
    [true, 'one pod', { includedResources: ['pod'] }],
    [true, 'the kind', { includedResources: ['Pod'] }],
    [true, 'the short name', { includedResources: ['po'] }],
    [true, 'all resources', { includedResources: ['*'] }],
    [false, 'another resource', { includedResources: ['persistentvolumeclaims'] }],
    [false, 'pods of another group', { includedResources: ['pods.metrics.k8s.io'] }],
    [false, 'pods excluded', { excludedResources: ['po'] }],
    [true, 'an empty selector', { labelSelector: {} }],
    [true, 'its label', { labelSelector: { matchLabels: { app: 'db' } } }],
    [false, 'another value', { labelSelector: { matchLabels: { app: 'web' } } }],
    [false, 'a label that it does not have', { labelSelector: { matchLabels: { app: 'db', tier: 'x' } } }],
    [true, 'In', expression('In', ['db', 'web'])],
    [false, 'In, not listed', expression('In', ['web'])],
    [false, 'In, without the label', expression('In', ['db'], 'tier')],
    [false, 'NotIn', expression('NotIn', ['db'])],
    [true, 'NotIn, not listed', expression('NotIn', ['web'])],
    [true, 'Exists', expression('Exists')],
    [false, 'DoesNotExist', expression('DoesNotExist')],
  ])('%s for %s', (applies, _title, filter) => {
    expect(backupHooksOf(podWith({}), 'pre', specHook(filter))).toHaveLength(applies ? 1 : 0);
  });

  it('reports the same problems as with annotations', () => {
    const hooks = specHook({ pre: [{ exec: { command: ['a'], container: 'x', timeout: '-1s' } }] });
    expect(backupHooksOf(podWith({}), 'pre', hooks)).toMatchObject([
      {
        flaw: 'no such container: "x"',
        timeoutMs: 30_000,
        remarks: ['timeout "-1s" is not a duration above zero such as 5m, so 30s is used'],
      },
    ]);
  });
});
