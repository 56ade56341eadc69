import { configMapType, type Restore } from '@lateen/api-types';
import type { RestoreOperation } from '@lateen/backup-store';
import type { OperationProgress, RestoreItemAction } from '@lateen/item-actions';
import type { RestoreEngineRequest } from '@lateen/restore';
import { aConfigMap } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { type EngineScript, scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

/** An action whose operations progress as the test says. */
function slowAction() {
  const states = new Map<string, OperationProgress>();
  const tell = new Set<(id: string, progress: OperationProgress) => void>();
  const canceled: string[] = [];
  const action: RestoreItemAction = {
    name: 'example.dev/slow',
    appliesTo: {},
    execute: async ({ item }) => ({ updatedItem: item }),
    progress: async (id) => states.get(id) ?? { completed: false },
    cancel: async (id) => {
      canceled.push(id);
    },
    watchOperations: (_, onChange, signal) => {
      tell.add(onChange);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          tell.delete(onChange);
          resolve();
        });
      });
    },
  };
  return {
    action,
    canceled,
    end: (id: string, error?: string) => {
      const progress = { completed: true, ...(error === undefined ? {} : { error }) };
      states.set(id, progress);
      for (const each of tell) each(id, progress);
    },
  };
}

const operations = ({ restore }: RestoreEngineRequest) =>
  ['one', 'two'].map(
    (id): RestoreOperation => ({
      spec: {
        restoreName: restore.metadata.name ?? '',
        restoreUID: restore.metadata.uid ?? '',
        restoreItemAction: 'example.dev/slow',
        resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: id },
        operationID: id,
      },
      status: { phase: 'New', created: '2030-01-01T00:00:00Z' },
    }),
  );

async function waiting(spec: Partial<Restore['spec']> = {}) {
  const slow = slowAction();
  const { engine } = scriptedEngine({ operations });
  const world = worlds.empty({ engine, restoreActions: [slow.action] });
  await world.backedUp();
  const life = world.startRestores();
  await world.createRestore('r', { backupName: 'nightly', ...spec });
  await world.untilRestore('r', 'WaitingForPluginOperations');
  return { world, slow, life };
}

describe('the operations of a restore', () => {
  it('are waited for before the restore is Completed', async () => {
    const { world, slow } = await waiting();
    expect(world.restore('r')?.status).toMatchObject({ restoreItemOperationsAttempted: 2 });
    slow.end('one');
    await world.untilTrue(() => world.restore('r')?.status?.restoreItemOperationsCompleted === 1);
    slow.end('two');
    await world.untilRestore('r', 'Completed');
    expect(world.restorePhases('r')).toEqual(['InProgress', 'WaitingForPluginOperations', 'Finalizing', 'Completed']);
    const stored = await world.restored.getItemOperations('r');
    expect(stored.map(({ status }) => status.phase)).toEqual(['Completed', 'Completed']);
  });

  it('that fail are errors of the restore, and in its results', async () => {
    const { world, slow } = await waiting();
    slow.end('one', 'no space');
    await world.untilRestore('r', 'WaitingForPluginOperationsPartiallyFailed');
    slow.end('two');
    const { status } = await world.untilRestore('r', 'PartiallyFailed');
    expect(status).toMatchObject({ errors: 1, restoreItemOperationsFailed: 1, restoreItemOperationsCompleted: 1 });
    expect((await world.restored.getResults('r')).errors.namespaces?.shop).toEqual([
      ' resource: /persistentvolumeclaims name: /one message: /operation one of example.dev/slow failed error: /no space',
    ]);
  });

  it('that take too long are cancelled, and count as failed', async () => {
    const { world, slow } = await waiting({ itemOperationTimeout: '5m' });
    slow.end('one');
    await world.clock.advance(300_000);
    const { status } = await world.untilRestore('r', 'PartiallyFailed');
    expect([status?.restoreItemOperationsFailed, slow.canceled]).toEqual([1, ['two']]);
  });

  it('are continued by the next controller', async () => {
    const { world, slow, life } = await waiting();
    await life.stop();
    slow.end('one');
    slow.end('two');
    world.startRestores();
    await world.untilRestore('r', 'Completed');
  });

  it('are cancelled when the restore is cancelled', async () => {
    const { world, slow } = await waiting();
    world.change('r', ({ spec }) => {
      spec.cancel = true;
    });
    await world.untilRestore('r', 'Canceled');
    expect(slow.canceled).toEqual(['one', 'two']);
  });
});

it('temporary objects of a restore are deleted when it ends, also when it fails', async () => {
  const make: EngineScript['during'] = async ({ kube }, { restore }) => {
    const labels = { 'velero.io/restore-uid': restore.metadata.uid ?? '', 'velero.io/resource-usage': 'DataUpload' };
    await kube.create(configMapType, aConfigMap({ name: restore.metadata.name ?? '', namespace: 'velero', labels }));
    if (restore.metadata.name === 'bad') throw new Error('the engine stands still');
  };
  const world = await worlds.running(scriptedEngine({ during: make }));
  await world.createRestore('good');
  await world.untilRestore('good', 'Completed');
  await world.createRestore('bad');
  await world.untilRestore('bad', 'Failed');
  expect(world.cluster.all(configMapType, 'velero')).toEqual([]);
});
