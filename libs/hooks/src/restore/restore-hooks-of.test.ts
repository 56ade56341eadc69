import type { RestoreHooks, RestoreResourceHookSpec } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type RestorePodHook, restoreHooksOf } from './restore-hooks-of.ts';

const key = (field: string) => `post.hook.restore.velero.io/${field}`;

const hook = (parts: Partial<RestorePodHook> = {}): RestorePodHook => ({
  name: 'warm',
  source: 'spec',
  phase: 'post',
  container: 'main',
  command: ['warm'],
  timeoutMs: 30_000,
  waitForReady: false,
  remarks: [],
  ...parts,
});

const pod = (annotations: Record<string, string> = {}) =>
  aPod({
    namespace: 'shop',
    name: 'db-0',
    labels: { app: 'db' },
    annotations,
    spec: {
      containers: [{ name: 'main' }, { name: 'side' }],
      initContainers: [{ name: 'once' }, { name: 'agent', restartPolicy: 'Always' }],
    },
  });

const spec = (exec: object, more: Partial<RestoreResourceHookSpec> = {}): RestoreHooks => ({
  resources: [{ name: 'warm', postHooks: [{ exec: { command: ['warm'], ...exec } }], ...more }],
});

describe('hooks of a restored pod in annotations', () => {
  const annotated = (parts: Partial<RestorePodHook> = {}) =>
    hook({ name: '<from-annotation>', source: 'annotation', ...parts });
  const remark = (text: string) => ({ remarks: [expect.stringContaining(text)] as unknown as string[] });
  it.each<[string, Record<string, string>, RestorePodHook[]]>([
    ['none', {}, []],
    ['an empty command', { command: '' }, []],
    ['a command as plain text', { command: 'warm' }, [annotated()]],
    ['a command with spaces is one program', { command: 'warm up' }, [annotated({ command: ['warm up'] })]],
    ['a command as JSON', { command: '["sh","-c","x"]' }, [annotated({ command: ['sh', '-c', 'x'] })]],
    ['JSON that is not a list of strings', { command: '[1]' }, [annotated({ command: ['[1]'] })]],
    ['a container', { command: 'warm', container: 'side' }, [annotated({ container: 'side' })]],
    ['a restartable init container', { command: 'warm', container: 'agent' }, [annotated({ container: 'agent' })]],
    [
      'an unknown container',
      { command: 'warm', container: 'nope' },
      [annotated({ container: 'nope', flaw: 'no such container: "nope"' })],
    ],
    [
      'an init container that ends',
      { command: 'warm', container: 'once' },
      [annotated({ container: 'once', flaw: 'no such container: "once"' })],
    ],
    ['on-error Fail', { command: 'warm', 'on-error': 'Fail' }, [annotated({ onError: 'Fail' })]],
    ['on-error Continue', { command: 'warm', 'on-error': 'Continue' }, [annotated({ onError: 'Continue' })]],
    ['an unknown on-error', { command: 'warm', 'on-error': 'fail' }, [annotated(remark('on-error "fail"'))]],
    ['a timeout for the command', { command: 'warm', 'exec-timeout': '2m' }, [annotated({ timeoutMs: 120_000 })]],
    ['no timeout for the command', { command: 'warm', 'exec-timeout': '0' }, [annotated()]],
    ['an invalid timeout', { command: 'warm', 'exec-timeout': 'soon' }, [annotated(remark('timeout "soon"'))]],
    ['a wait timeout', { command: 'warm', 'wait-timeout': '5m' }, [annotated({ waitTimeoutMs: 300_000 })]],
    ['a wait timeout of zero means none', { command: 'warm', 'wait-timeout': '0s' }, [annotated()]],
    ['a negative wait timeout means none', { command: 'warm', 'wait-timeout': '-5s' }, [annotated()]],
    [
      'an invalid wait timeout',
      { command: 'warm', 'wait-timeout': 'long' },
      [annotated(remark('wait timeout "long"'))],
    ],
    ['ready', { command: 'warm', 'wait-for-ready': 'true' }, [annotated({ waitForReady: true })]],
    ["ready in Go's notation", { command: 'warm', 'wait-for-ready': 'T' }, [annotated({ waitForReady: true })]],
    ['not ready', { command: 'warm', 'wait-for-ready': 'false' }, [annotated()]],
    [
      'an invalid value for ready',
      { command: 'warm', 'wait-for-ready': 'yes' },
      [annotated(remark('wait-for-ready "yes"'))],
    ],
  ])('%s', (_title, fields, expected) => {
    const annotations = Object.fromEntries(Object.entries(fields).map(([name, value]) => [key(name), value]));
    expect(restoreHooksOf(pod(annotations), undefined)).toEqual(expected);
  });

  it('override those of the spec', () => {
    expect(restoreHooksOf(pod({ [key('command')]: 'warm' }), spec({}))).toEqual([annotated()]);
    expect(restoreHooksOf(pod({ [key('container')]: 'side' }), spec({}))).toEqual([hook()]);
  });
});

describe('hooks of a restored pod in the spec', () => {
  it.each<[string, RestoreHooks | null | undefined, RestorePodHook[]]>([
    ['none', undefined, []],
    ['null', null, []],
    ['no list', {}, []],
    ['one', spec({}), [hook()]],
    [
      'all fields',
      spec({ container: 'side', onError: 'Fail', execTimeout: '1m', waitTimeout: '2m', waitForReady: true }),
      [hook({ container: 'side', onError: 'Fail', timeoutMs: 60_000, waitTimeoutMs: 120_000, waitForReady: true })],
    ],
    ['zero times', spec({ execTimeout: '0s', waitTimeout: '0s', waitForReady: null }), [hook()]],
    ['no command', spec({ command: [] }), [hook({ command: [], flaw: 'the hook has no command' })]],
    ['init containers alone', { resources: [{ name: 'x', postHooks: [{ init: { initContainers: [] } }] }] }, []],
    ['entries without hooks', { resources: [{ name: 'x' }] }, []],
    [
      'several, in order',
      { resources: [...(spec({ command: ['a'] }).resources ?? []), ...(spec({ command: ['b'] }).resources ?? [])] },
      [hook({ command: ['a'] }), hook({ command: ['b'] })],
    ],
    ['its namespace', spec({}, { includedNamespaces: ['shop'] }), [hook()]],
    ['namespaces by glob', spec({}, { includedNamespaces: ['sh*'] }), [hook()]],
    ['another namespace', spec({}, { includedNamespaces: ['bank'] }), []],
    ['its namespace excluded', spec({}, { excludedNamespaces: ['shop'] }), []],
    ['its label', spec({}, { labelSelector: { matchLabels: { app: 'db' } } }), [hook()]],
    ['another label', spec({}, { labelSelector: { matchLabels: { app: 'web' } } }), []],
    ['other resources, which are ignored', spec({}, { includedResources: ['secrets'] }), [hook()]],
    ['pods excluded, which is ignored', spec({}, { excludedResources: ['pods'] }), [hook()]],
  ])('%s', (_title, hooks, expected) => {
    expect(restoreHooksOf(pod(), hooks)).toEqual(expected);
  });
});
