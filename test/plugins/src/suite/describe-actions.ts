import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { PluginWorld } from '../plugin-world.ts';
import {
  aBackupContext,
  aContextOfRestore,
  anItem,
  backupAction,
  blockAction,
  claim,
  deleteAction,
  environmentAnnotation,
  fillerAnnotation,
  fixturePlugins,
  never,
  restoreAction,
  zone,
} from './items.ts';

const appliesTo = {
  includedNamespaces: ['shop'],
  includedResources: ['configmaps', 'widgets.fixture.lateen.dev'],
  labelSelector: 'fixture=yes',
};

/** Actions of a program without faults. */
export function describeActions(world: () => PluginWorld): void {
  describe('what a program offers', () => {
    it('is listed by kind and name, and each action says which items it applies to', () => {
      const { host } = world();
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
      const expected = [...Object.entries(fixturePlugins).map(([kind, name]) => ({ kind, name }))].sort(byName);
      expect([...host.list()].sort(byName)).toEqual(expected);
      expect(host.problems()).toEqual([]);
      const { backup, restore, block, delete: deletion } = host.actions();
      for (const action of [...backup, ...restore, ...block, ...deletion]) expect(action.appliesTo).toEqual(appliesTo);
    });
  });

  describe('an action on a backup', () => {
    it.each(['BackupItemAction', 'BackupItemActionV2'] as const)(
      '%s returns the same object when it changes nothing',
      async (kind) => {
        const item = { ...anItem(), spec: { ratio: JSON.parse('1.5'), list: [1, null, 'x'], 'odd "key"': true } };
        const result = await backupAction(world().host, kind).execute(item, aBackupContext(), never);
        expect(result.item).toBe(item);
        expect(result.additionalItems).toEqual([]);
        expect(result.operationId).toBeUndefined();
      },
    );

    it.each(['BackupItemAction', 'BackupItemActionV2'] as const)(
      '%s returns a changed item and its additional items',
      async (kind) => {
        const script = {
          annotate: { 'backup.velero.io/must-include-additional-items': 'true' },
          additionalItems: [claim, zone],
        };
        const item = anItem(script);
        const result = await backupAction(world().host, kind).execute(item, aBackupContext(), never);
        expect(result.item.metadata.annotations).toEqual({ ...item.metadata.annotations, ...script.annotate });
        expect(result.item.data).toBe(item.data);
        expect(result.additionalItems).toEqual([claim, zone]);
      },
    );

    it('names items to read again when its operation has ended', async () => {
      const item = anItem({ operation: { polls: 2 }, postOperationItems: [claim] });
      const result = await backupAction(world().host).execute(item, aBackupContext(), never);
      expect(result.operationId).toBe('2//shop/settings');
      expect(result.postOperationItems).toEqual([claim]);
    });

    it('fails with its own error message', async () => {
      const failing = backupAction(world().host).execute(anItem({ fail: 'no such bucket' }), aBackupContext(), never);
      await expect(failing).rejects.toMatchObject({ code: 'PLUGIN_CALL_FAILED' });
      expect(describeError(await failing.catch((error: unknown) => error))).toBe(
        'plugin fixture.lateen.dev/backup answered Execute with an error: no such bucket',
      );
    });

    it('fails without affecting other calls when it panics, and its program continues', async () => {
      const context = aBackupContext();
      const action = backupAction(world().host);
      const error = await action.execute(anItem({ panic: 'nil map' }), context, never).catch(describeError);
      expect(error).toContain('answered Execute with an error: plugin panicked: nil map');
      await action.execute(anItem(), context, never);
      expect(context.log.messages('warn')).toEqual([]);
    });

    it('returns items of many megabytes', async () => {
      const item = anItem({ fillerBytes: 5_000_000 });
      const result = await backupAction(world().host).execute(item, aBackupContext(), never);
      expect(result.item.metadata.annotations?.[fillerAnnotation]?.length).toBe(5_000_000);
    });

    it('gets an environment without secrets of the server', async () => {
      const item = anItem({ environment: true });
      const result = await backupAction(world().host).execute(item, aBackupContext(), never);
      const names = result.item.metadata.annotations?.[environmentAnnotation]?.split(',') ?? [];
      expect(names).toEqual(expect.arrayContaining(['PATH', 'TMPDIR', 'VELERO_NAMESPACE', 'VELERO_PLUGIN']));
      expect(names).not.toContain('FIXTURE_SECRET');
      expect(names).not.toContain('AWS_SHARED_CREDENTIALS_FILE');
    });
  });

  describe('other actions', () => {
    it('of item blocks name related items', async () => {
      const item = anItem({ relatedItems: [claim] });
      expect(await blockAction(world().host).relatedItems(item, aBackupContext(), never)).toEqual([claim]);
    });

    it('for deletion get each item', async () => {
      const context = aBackupContext('deleted-uid');
      await deleteAction(world().host).execute(anItem(), context, never);
      await expect
        .poll(() => context.log.lines)
        .toContainEqual(
          expect.objectContaining({
            level: 'info',
            message: 'item is deleted',
            fields: expect.objectContaining({ item: 'shop/settings' }),
          }),
        );
      const failing = deleteAction(world().host).execute(anItem({ fail: 'still in use' }), context, never);
      expect(await failing.catch(describeError)).toContain('still in use');
    });
  });

  describe('an action on a restore', () => {
    const input = (item: ReturnType<typeof anItem>) => ({ item, itemFromBackup: { ...item, status: { was: 'here' } } });

    it.each(['RestoreItemAction', 'RestoreItemActionV2'] as const)(
      '%s returns a changed item and items to restore before it',
      async (kind) => {
        const item = anItem({ annotate: { changed: 'yes' }, additionalItems: [claim] });
        const result = await restoreAction(world().host, kind).execute(input(item), aContextOfRestore(), never);
        expect(result.updatedItem.metadata.annotations?.changed).toBe('yes');
        expect(result.additionalItems).toEqual([claim]);
        expect(result).toMatchObject({ skipRestore: false });
        expect(result.waitForAdditionalItems).toBeUndefined();
      },
    );

    it.each(['RestoreItemAction', 'RestoreItemActionV2'] as const)('%s leaves an item out', async (kind) => {
      const result = await restoreAction(world().host, kind).execute(
        input(anItem({ skipRestore: true })),
        aContextOfRestore(),
        never,
      );
      expect(result.skipRestore).toBe(true);
    });

    it('waits until its additional items are ready', async () => {
      const context = aContextOfRestore({ readyAfter: 3 }, 'waiting-uid');
      const action = restoreAction(world().host);
      const script = { additionalItems: [claim], waitForAdditionalItems: true, additionalItemsReadyTimeoutSeconds: 90 };
      const result = await action.execute(input(anItem(script)), context, never);
      expect(result).toMatchObject({ waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: 90_000 });
      const ask = () =>
        action.areAdditionalItemsReady?.({ items: [claim], restore: context.restore, signal: never }, context);
      expect([await ask(), await ask(), await ask()]).toEqual([{ ready: false }, { ready: false }, { ready: true }]);
      const broken = aContextOfRestore({ readyFails: 'the webhook is gone' }, 'waiting-uid');
      const asked = action.areAdditionalItemsReady?.(
        { items: [claim], restore: broken.restore, signal: never },
        broken,
      );
      expect(await asked?.catch(describeError)).toContain('the webhook is gone');
    });

    it('does not wait in version 1', () => {
      expect(restoreAction(world().host, 'RestoreItemAction').areAdditionalItemsReady).toBeUndefined();
    });

    it('is not called by a plan, which says so', async () => {
      const context = aContextOfRestore({}, 'plan-uid', true);
      const item = anItem({ fail: 'it was asked' });
      expect((await restoreAction(world().host).execute(input(item), context, never)).updatedItem).toBe(item);
      expect(context.log.messages('info')).toHaveLength(1);
    });
  });
}
