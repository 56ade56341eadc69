import type { Backup, KubeObject } from '@lateen/api-types';
import { stringify } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import type { BackupItemAction } from '../contract/backup-item-action.ts';
import { definePlugin } from '../define-plugin.ts';
import { testPlugin } from '../testing/test-plugin.ts';

const name = 'example.io/mark';
const claim = (parts: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop' },
  ...parts,
});
const tested = async (action: BackupItemAction) =>
  (await testPlugin(definePlugin({ name, backupItemActions: { [name]: action } }))).backupItemAction(name);
const operates = { progress: () => ({ completed: true }), cancel: () => {} };

describe('a BackupItemAction', () => {
  it.each([{}, operates])('returns the changed item, and its additional items', async (version) => {
    const action = await tested({
      ...version,
      execute: ({ item, backup }) => {
        item.metadata.labels = { backup: backup.metadata.name ?? '' };
        return { item, additionalItems: [{ group: '', resource: 'persistentvolumes', name: 'pv-1' }] };
      },
    });
    expect(await action.execute(claim(), { backup: { metadata: { name: 'weekly' } } })).toEqual({
      item: claim({ metadata: { name: 'data', namespace: 'shop', labels: { backup: 'weekly' } } }),
      additionalItems: [{ group: '', resource: 'persistentvolumes', name: 'pv-1' }],
      postOperationItems: [],
    });
  });

  it('keeps every number as it was written, in changed and unchanged items', async () => {
    const text =
      '{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"spec":{"big":9007199254740993,"one":1.0,"n":3}}';
    const { parseExact } = await import('@lateen/kube');
    const item = parseExact(text) as KubeObject;
    const changing = await tested({ execute: ({ item }) => ({ item: { ...item, added: true } }) });
    const { item: changed } = await changing.execute(item);
    expect(stringify(changed)).toBe(`${text.slice(0, -1)},"added":true}`);
    const same = await tested({ execute: () => {} });
    expect(stringify((await same.execute(item)).item)).toBe(text);
  });

  it('returns the item byte by byte when the action returns none, even if it changed its copy', async () => {
    const action = await tested({
      execute: ({ item }) => {
        item.metadata.name = 'other';
        return {};
      },
    });
    expect((await action.execute(claim())).item).toEqual(claim());
  });

  it('gives each item of a backup the same frozen Backup', async () => {
    const seen = new Set<Backup>();
    const action = await tested({
      execute: ({ backup }) => {
        seen.add(backup);
        expect(() => Object.assign(backup.spec, { ttl: '1h' })).toThrow(TypeError);
      },
    });
    await action.execute(claim());
    await action.execute(claim());
    expect(seen.size).toBe(1);
    await action.execute(claim(), { backup: { metadata: { name: 'other' } } });
    expect(seen.size).toBe(2);
  });

  it('starts an operation that is followed and cancelled by its ID, with objects to read again at the end', async () => {
    const cancelled: string[] = [];
    const action = await tested({
      execute: () => ({
        operationId: 'copy-7',
        postOperationItems: [{ group: 'example.io', resource: 'copies', namespace: 'shop', name: 'copy-7' }],
      }),
      progress: ({ operationId }) => ({
        completed: false,
        description: operationId,
        nCompleted: 3,
        nTotal: 10,
        units: 'Bytes',
        startedAt: '2030-01-01T00:00:00Z',
      }),
      cancel: ({ operationId }) => void cancelled.push(operationId),
    });
    const { operationId = '', postOperationItems } = await action.execute(claim());
    expect(postOperationItems).toHaveLength(1);
    expect(await action.progress(operationId)).toEqual({
      completed: false,
      description: 'copy-7',
      nCompleted: 3,
      nTotal: 10,
      units: 'Bytes',
      startedAt: '2030-01-01T00:00:00.000Z',
    });
    await action.cancel(operationId);
    expect(cancelled).toEqual(['copy-7']);
  });

  it('reports which items it applies to', async () => {
    const appliesTo = { includedNamespaces: ['shop'], excludedResources: ['secrets'], labelSelector: 'app=db' };
    expect(await (await tested({ appliesTo, execute: () => {} })).appliesTo()).toEqual(appliesTo);
    expect(await (await tested({ execute: () => {} })).appliesTo()).toEqual({});
  });
});

describe('an invalid result', () => {
  it.each<[string, BackupItemAction, string]>([
    [
      'an item that is no object',
      { execute: () => ({ item: 'x' as never }) },
      `item of ${name} is not an object of Kubernetes: apiVersion, kind or metadata is missing`,
    ],
    [
      'an additional item without name',
      { execute: () => ({ additionalItems: [{ group: '', resource: 'pods', name: '' }] }) },
      `additionalItems of ${name} has an item without name: {"group":"","resource":"pods","namespace":"","name":""}`,
    ],
    [
      'an operation of version 1',
      { execute: () => ({ operationId: 'x' }) } as BackupItemAction,
      `${name} returned an operation, and has no progress and cancel`,
    ],
  ])('%s is an error that names the problem', async (_what, action, message) => {
    await expect((await tested(action)).execute(claim())).rejects.toMatchObject({
      code: 'PLUGIN_ANSWER_INVALID',
      message,
    });
  });

  it.each([
    [{ completed: 'yes' as never }, 'completed of an operation\'s progress is "yes"'],
    [{ completed: true, nTotal: Number.NaN }, "nTotal of an operation's progress is null"],
    [{ completed: true, startedAt: 'today' }, 'startedAt of an operation\'s progress is "today"'],
  ])('progress %j is an error that names the problem', async (progress, message) => {
    const action = await tested({ execute: () => {}, progress: () => progress, cancel: () => {} });
    await expect(action.progress('x')).rejects.toMatchObject({ code: 'PLUGIN_ANSWER_INVALID', message });
  });
});

describe('a request that cannot be served', () => {
  it('names an unknown action; the error lists the known names', async () => {
    const plugin = await testPlugin(definePlugin({ name, backupItemActions: { [name]: { execute: () => {} } } }));
    expect(() => plugin.backupItemAction('example.io/other')).toThrow(`the plugin lists BackupItemAction ${name}`);
    expect(() => plugin.restoreItemAction(name)).toThrow('there is no RestoreItemAction');
  });
});
