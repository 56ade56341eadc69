import { annotations, type Unstructured } from '@lateen/api-types';
import type { RestoreOperation } from '@lateen/backup-store';
import { AppError, describeError } from '@lateen/errors';
import {
  type ItemIdentifier,
  type RestoreItemAction,
  type RestoreItemResult,
  withItemsWait,
} from '@lateen/item-actions';
import { FakeClock, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';
import { runActions } from './run-actions.ts';

const mark = annotations.mustIncludeAdditionalItemsAtRestore;
const claim: ItemIdentifier = { group: '', resource: 'persistentvolumeclaims', namespace: 'shop', name: 'data' };

const pod = (metadata: object = {}): Unstructured => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: 'db-0', labels: { app: 'db' }, ...metadata },
});

const entry: CatalogItem = {
  groupResource: 'pods',
  namespace: 'shop',
  name: 'db-0',
  apiVersion: 'v1',
  kind: 'Pod',
  uid: 'u',
  labels: { app: 'db' },
  annotations: undefined,
  isTerminating: false,
  owners: [],
  needs: [],
};

interface WorldOptions {
  actions: readonly RestoreItemAction[];
  dryRun?: boolean;
  /** The additional items that exist in the cluster afterwards; default: all. */
  restored?: readonly ItemIdentifier[];
}

function world({ actions, dryRun = false, restored }: WorldOptions) {
  const clock = new FakeClock();
  const log = recordingLog();
  const seen: unknown[] = [];
  const operations: RestoreOperation[] = [];
  const run = {
    ports: {
      kube: fakeCluster({ clock }),
      clock,
      random: seededRandom(),
      veleroNamespace: 'velero',
      dryRun,
      actions,
      limits: { additionalItemsReadyTimeoutMs: 600_000 },
    },
    request: {
      restore: { metadata: { name: 'back', uid: 'r-1' }, spec: {} },
      backup: {},
      catalog: {
        find: ({ name }: ItemIdentifier) => (name === 'data' ? { name } : undefined),
        read: async () => pod({ name: 'data' }),
      },
    },
    namespaces: { mapped: (namespace: string) => (namespace === 'shop' ? 'shop-2' : namespace) },
    additional: {
      restore: async (item: CatalogItem, named: readonly ItemIdentifier[], how: object) => {
        seen.push({ item: item.name, named, ...how });
        return restored ?? named;
      },
      whileWaiting: async (_item: CatalogItem, wait: () => Promise<unknown>) => {
        seen.push('gives its place away');
        return await wait();
      },
    },
    volumes: { note: (about: object, facts: object) => seen.push({ about, facts }) },
    isRestored: () => false,
    addOperation: (operation: RestoreOperation) => operations.push(operation),
  } as unknown as ItemRun;
  const stop = new AbortController();
  const act = (object = pod()) =>
    letTimePass(runActions(run, { item: entry, object, itemFromBackup: pod({ uid: 'u' }), log }, stop.signal), clock);
  const errors = () =>
    log.lines
      .filter(({ level }) => level === 'error')
      .map(({ fields }) => `${fields.action}: ${describeError(fields.err)}`);
  return { run, act, seen, operations, log, clock, stop, errors };
}

function action(name: string, parts: Partial<RestoreItemAction> & { result?: Partial<RestoreItemResult> } = {}) {
  const { result = {}, ...more } = parts;
  const made: RestoreItemAction = {
    name,
    appliesTo: {},
    execute: async ({ item }) => ({ updatedItem: item, ...result }),
    ...more,
  };
  return made;
}

const labelling = (name: string, key: string): RestoreItemAction =>
  action(name, {
    execute: async ({ item }) => ({
      updatedItem: { ...item, metadata: { ...item.metadata, labels: { ...item.metadata.labels, [key]: name } } },
    }),
  });

describe('runActions', () => {
  it('passes the item to each action in order, as the previous action left it, together with the item of the backup', async () => {
    const given: unknown[] = [];
    const looking = action('c', {
      execute: async ({ item, itemFromBackup }) => {
        given.push(Object.keys(item.metadata.labels ?? {}), itemFromBackup.metadata.uid);
        return { updatedItem: item };
      },
    });
    const { act } = world({ actions: [labelling('a', 'one'), labelling('b', 'two'), looking] });
    const { object } = await act();
    expect(given).toEqual([['app', 'one', 'two'], 'u']);
    expect(object?.metadata.labels).toEqual({ app: 'db', one: 'a', two: 'b' });
  });

  it.each<[string, RestoreItemAction['appliesTo'], boolean]>([
    ['its resource', { includedResources: ['pods'] }, true],
    ['another resource than its own', { includedResources: ['secrets'] }, false],
    ['every resource but its own', { excludedResources: ['pods'] }, false],
    ['the namespace that it is restored into', { includedNamespaces: ['shop-2'] }, true],
    ['the namespace that it was in', { includedNamespaces: ['shop'] }, false],
    ['its label', { labelSelector: 'app=db' }, true],
    ['another label', { labelSelector: 'app=web' }, false],
    ['a label that the previous action has added', { labelSelector: 'one=first' }, true],
  ])('calls an action that applies to %s: %3$s', async (_title, appliesTo, isAsked) => {
    const { act } = world({
      actions: [labelling('first', 'one'), { ...labelling('second', 'two'), appliesTo }],
    });
    expect((await act()).object?.metadata.labels?.two).toBe(isAsked ? 'second' : undefined);
  });

  it('gives an action the target namespaces, objects of the backup and the volume info of the restore', async () => {
    const answers: unknown[] = [];
    const asking = action('ask', {
      execute: async ({ item }, context, signal) => {
        answers.push(context.mappedNamespace('shop'), context.veleroNamespace, context.dryRun);
        answers.push((await context.archived(claim, signal))?.metadata.name);
        answers.push(await context.archived({ ...claim, name: 'gone' }, signal));
        context.noteVolume({ namespace: 'shop-2', name: 'data' }, { method: 'CSISnapshot', dataMoved: true });
        return { updatedItem: item };
      },
    });
    const { act, seen } = world({ actions: [asking] });
    await act();
    expect(answers).toEqual(['shop-2', 'velero', false, 'data', undefined]);
    expect(seen).toEqual([
      { about: { namespace: 'shop-2', name: 'data' }, facts: { method: 'CSISnapshot', dataMoved: true } },
    ]);
  });

  it('skips the item when an action says so, and calls no later action', async () => {
    const { act, seen, operations } = world({
      actions: [
        action('skips', { result: { skipRestore: true, additionalItems: [claim], operationId: 'dd-1' } }),
        labelling('after', 'two'),
      ],
    });
    expect(await act()).toEqual({ object: undefined, skippedBy: 'skips' });
    expect(seen).toEqual([]);
    // The operation was started, so the restore follows it although the item is skipped.
    expect(operations).toHaveLength(1);
  });

  it('reports which action failed, and why', async () => {
    const failing = action('example.org/breaks', {
      execute: async () => {
        throw new Error('no such thing');
      },
    });
    const failure = await world({ actions: [failing] })
      .act()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ITEM_ACTION_FAILED', details: { action: 'example.org/breaks' } });
    expect(describeError(failure)).toBe('action example.org/breaks failed: no such thing');
  });

  it('ends with the reason of the signal, not with an error that the action throws afterwards', async () => {
    const { act, stop } = world({
      actions: [
        action('slow', {
          execute: async () => {
            stop.abort(new Error('canceled'));
            throw new Error('broken off');
          },
        }),
      ],
    });
    await expect(act()).rejects.toThrow('canceled');
  });

  it('collects operations together with the restored item', async () => {
    const { act, operations } = world({ actions: [action('velero.io/moves', { result: { operationId: 'dd-1' } })] });
    await act();
    expect(operations).toEqual([
      {
        spec: {
          restoreName: 'back',
          restoreUID: 'r-1',
          restoreItemAction: 'velero.io/moves',
          resourceIdentifier: { Group: '', Resource: 'pods', Namespace: 'shop-2', Name: 'db-0' },
          operationID: 'dd-1',
        },
        status: { phase: 'New', created: expect.any(String) },
      },
    ]);
  });
});

describe('the additional items of an action', () => {
  it('are restored before the next action receives the item', async () => {
    const order: string[] = [];
    const { act, run } = world({
      actions: [
        action('names', { result: { additionalItems: [claim] } }),
        action('next', {
          execute: async ({ item }) => {
            order.push('next');
            return { updatedItem: item };
          },
        }),
      ],
    });
    run.additional.restore = async () => {
      order.push('additional');
      return [];
    };
    await act();
    expect(order).toEqual(['additional', 'next']);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['', false],
    [undefined, false],
  ])('must be included when the annotation is %j: %j; the annotation is always removed', async (value, mustInclude) => {
    const marking = action('names', {
      execute: async ({ item }) => {
        const kept = { note: 'x', ...(value === undefined ? {} : { [mark]: value }) };
        return {
          updatedItem: { ...item, metadata: { ...item.metadata, annotations: kept } },
          additionalItems: [claim],
        };
      },
    });
    const { act, seen } = world({ actions: [marking] });
    expect((await act()).object?.metadata.annotations).toEqual({ note: 'x' });
    expect(seen).toEqual([{ item: 'db-0', named: [claim], mustInclude, by: 'names' }]);
  });

  it('follow the annotation of their own action only', async () => {
    const first = action('first', {
      execute: async ({ item }) => ({
        updatedItem: { ...item, metadata: { ...item.metadata, annotations: { [mark]: 'true' } } },
        additionalItems: [claim],
      }),
    });
    const { act, seen } = world({ actions: [first, action('second', { result: { additionalItems: [claim] } })] });
    await act();
    expect(seen).toMatchObject([{ mustInclude: true }, { mustInclude: false }]);
  });

  it('leave no annotation on an item when no action applies', async () => {
    const { act } = world({ actions: [] });
    expect((await act(pod({ annotations: { [mark]: 'true', note: 'x' } }))).object?.metadata.annotations).toEqual({
      note: 'x',
    });
  });
});

describe('waiting for additional items', () => {
  const result = (parts: Partial<RestoreItemResult> = {}): Partial<RestoreItemResult> => ({
    additionalItems: [claim],
    waitForAdditionalItems: true,
    ...parts,
  });
  type Ready = NonNullable<RestoreItemAction['areAdditionalItemsReady']>;

  it('asks at once, then every second, and frees its slot meanwhile', async () => {
    const askedAt: number[] = [];
    const { act, clock, errors, seen } = world({
      actions: [
        action('waits', {
          result: result(),
          areAdditionalItemsReady: async () => ({ ready: askedAt.push(clock.now()) === 3 }),
        }),
      ],
    });
    const startMs = clock.now();
    expect((await act()).object).toBeDefined();
    expect(askedAt.map((at) => at - startMs)).toEqual([0, 1_000, 2_000]);
    expect(errors()).toEqual([]);
    expect(seen).toContain('gives its place away');
  });

  it('asks about the items that exist in the cluster, with the name of this restore', async () => {
    const asked: unknown[] = [];
    const lost = { ...claim, name: 'lost' };
    const areAdditionalItemsReady: Ready = async ({ items, restore }) => {
      asked.push(items, restore.metadata.name);
      return { ready: true };
    };
    const named = result({ additionalItems: [claim, lost] });
    await world({ actions: [action('waits', { result: named, areAdditionalItemsReady })], restored: [claim] }).act();
    expect(asked).toEqual([[claim], 'back']);
  });

  it.each<[string, Ready, string]>([
    ['an error that it returns', async () => ({ ready: false, error: 'it is lost' }), 'it is lost'],
    ['an error that it returns together with ready', async () => ({ ready: true, error: 'half of it' }), 'half of it'],
    [
      'an error that it throws',
      async () => {
        throw new AppError('KUBE_FORBIDDEN', 'may not look');
      },
      'may not look',
    ],
  ])(
    'ends with %s: an error is logged, and the item is restored anyway',
    async (_title, areAdditionalItemsReady, text) => {
      let asked = 0;
      const { act, errors } = world({
        actions: [
          action('waits', {
            result: result(),
            areAdditionalItemsReady: (...given) => {
              asked++;
              return areAdditionalItemsReady(...given);
            },
          }),
          labelling('after', 'two'),
        ],
      });
      expect((await act()).object?.metadata.labels?.two).toBe('after');
      expect(errors()).toEqual([`waits: ${text}`]);
      expect(asked).toBe(1);
    },
  );

  it.each([
    ['of the server when the action sets none', 0, 600_000, '10m0s'],
    ['that the action sets', 5_000, 5_000, '5s'],
  ])('ends with an error after the timeout %s', async (_title, timeoutMs, waitsMs, text) => {
    const { act, errors, clock } = world({
      actions: [
        action('waits', {
          execute: async ({ item }) => withItemsWait({ updatedItem: item, additionalItems: [claim] }, timeoutMs),
          areAdditionalItemsReady: async () => ({ ready: false }),
        }),
      ],
    });
    const startMs = clock.now();
    expect((await act()).object).toBeDefined();
    expect(clock.now() - startMs).toBe(waitsMs);
    expect(errors().join()).toContain(`waits: they were not ready within ${text}`);
  });

  it('ends at its timeout although the action never answers', async () => {
    const { act, errors } = world({
      actions: [action('waits', { result: result(), areAdditionalItemsReady: () => new Promise(() => {}) })],
    });
    expect((await act()).object).toBeDefined();
    expect(errors()).toHaveLength(1);
  });

  it('ends with the reason of the signal', async () => {
    const { act, stop, errors } = world({
      actions: [
        action('waits', {
          result: result(),
          areAdditionalItemsReady: async () => {
            stop.abort(new Error('canceled'));
            return { ready: false };
          },
        }),
      ],
    });
    await expect(act()).rejects.toThrow('canceled');
    expect(errors()).toEqual([]);
  });

  const asked: ItemIdentifier[] = [];
  const areAdditionalItemsReady: Ready = async ({ items }) => {
    asked.push(...items);
    return { ready: false };
  };
  it.each<[string, RestoreItemAction, boolean]>([
    ['an action of version 1, which has no such call', action('some', { result: result() }), false],
    [
      'an action that does not ask for it',
      action('some', { result: { additionalItems: [claim] }, areAdditionalItemsReady }),
      false,
    ],
    ['a dry run', action('some', { result: result(), areAdditionalItemsReady }), true],
  ])('is skipped for %s', async (_title, one, dryRun) => {
    const { act, clock, seen } = world({ actions: [one], dryRun });
    const startMs = clock.now();
    expect((await act()).object).toBeDefined();
    expect([asked, clock.now() - startMs]).toEqual([[], 0]);
    expect(seen).toEqual([{ item: 'db-0', named: [claim], mustInclude: false, by: 'some' }]);
  });
});
