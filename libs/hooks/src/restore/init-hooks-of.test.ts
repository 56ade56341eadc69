import type { Container, RestoreHooks } from '@lateen/api-types';
import { aPod, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { initHooksOf, withInitHooks } from './init-hooks-of.ts';

const key = (field: string) => `init.hook.restore.velero.io/${field}`;
const both = { [key('container-image')]: 'busybox', [key('command')]: '["ls","/data"]' };
const restoreInit = { name: 'seed', image: 'seed:1', command: ['seed'], env: [{ name: 'A', value: 'b' }] };

const spec = (more: object = {}): RestoreHooks => ({
  resources: [{ name: 'x', postHooks: [{ init: { initContainers: [restoreInit as never] } }], ...more }],
});

const of = (annotations: Record<string, string>, hooks?: RestoreHooks | null) =>
  initHooksOf(aPod({ namespace: 'shop', labels: { app: 'db' }, annotations }), hooks, {
    targetNamespace: 'shop-2',
    random: seededRandom(),
  });

describe('init containers from hooks', () => {
  const annotated = {
    image: 'busybox',
    command: ['ls', '/data'],
    name: expect.stringMatching(/^velero-restore-init-[0-9a-f]{8}$/),
  };
  it.each<[string, Record<string, string>, RestoreHooks | null | undefined, unknown[]]>([
    ['none', {}, undefined, []],
    ['null', {}, null, []],
    ['image and command in annotations', both, undefined, [annotated]],
    ['with a name', { ...both, [key('container-name')]: 'mine' }, undefined, [{ ...annotated, name: 'mine' }]],
    [
      'a command that is not a list',
      { ...both, [key('command')]: '/prepare' },
      undefined,
      [{ ...annotated, command: ['/prepare'] }],
    ],
    ['an image alone', { [key('container-image')]: 'busybox' }, undefined, []],
    ['a command alone', { [key('command')]: 'ls' }, undefined, []],
    ['annotations override the spec', both, spec(), [annotated]],
    ['incomplete annotations do not override the spec', { [key('command')]: 'ls' }, spec(), [restoreInit]],
    ['the spec with all fields of a container', {}, spec(), [restoreInit]],
    ['the target namespace', {}, spec({ includedNamespaces: ['shop-2'] }), [restoreInit]],
    ['the original namespace', {}, spec({ includedNamespaces: ['shop'] }), []],
    ['the target excluded', {}, spec({ excludedNamespaces: ['shop-2'] }), []],
    ['its label', {}, spec({ labelSelector: { matchLabels: { app: 'db' } } }), [restoreInit]],
    ['another label', {}, spec({ labelSelector: { matchLabels: { app: 'web' } } }), []],
    ['commands alone', {}, { resources: [{ name: 'x', postHooks: [{ exec: { command: ['a'] } }] }] }, []],
    ['init without containers', {}, { resources: [{ name: 'x', postHooks: [{ init: {} }] }] }, []],
  ])('%s', (_title, annotations, hooks, expected) => {
    expect(of(annotations, hooks)).toEqual(expected);
  });

  it('get generated names when the spec gives none', () => {
    const nameless = { ...restoreInit, name: '' };
    const hooks: RestoreHooks = {
      resources: [{ name: 'x', postHooks: [{ init: { initContainers: [nameless, nameless] as never } }] }],
    };
    const names = of({}, hooks).map(({ name }) => name);
    expect(names[0]).toMatch(/^velero-restore-init-[0-9a-f]{8}$/);
    expect(new Set(names).size).toBe(2);
  });
});

describe('the position of init containers from hooks', () => {
  const c = (...names: string[]): Container[] => names.map((name) => ({ name }));
  it.each<[string, string[], string[], string[]]>([
    ['in a pod without init containers', [], ['h'], ['h']],
    ['before the own init containers of the pod', ['a', 'b'], ['h', 'i'], ['h', 'i', 'a', 'b']],
    ['after restore-wait', ['restore-wait', 'a'], ['h'], ['restore-wait', 'h', 'a']],
    ['after restore-wait of old backups', ['restic-wait', 'a'], ['h'], ['restic-wait', 'h', 'a']],
    ['before a restore-wait that is not first', ['a', 'restore-wait'], ['h'], ['h', 'a', 'restore-wait']],
    ['in place of one that an earlier restore added', ['h', 'a'], ['h'], ['h', 'a']],
    ['none leave the pod unchanged', ['a'], [], ['a']],
  ])('%s', (_title, own, hooks, expected) => {
    expect(withInitHooks(c(...own), c(...hooks)).map(({ name }) => name)).toEqual(expected);
  });
});
