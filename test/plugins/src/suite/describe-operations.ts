import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { PluginWorld } from '../plugin-world.ts';
import { aBackupContext, aContextOfRestore, backupAction, never, restoreAction } from './items.ts';

/** Operations of version 2 of backup and restore actions. */
export function describeOperations(world: () => PluginWorld): void {
  const sides = [
    {
      side: 'backup',
      of: () => {
        const { progress, cancel } = backupAction(world().host);
        const context = aBackupContext();
        return {
          progress: (id: string) => progress?.(id, context, never),
          cancel: (id: string) => cancel?.(id, context, never),
        };
      },
    },
    {
      side: 'restore',
      of: () => {
        const { progress, cancel } = restoreAction(world().host);
        const context = aContextOfRestore();
        return {
          progress: (id: string) => progress?.(id, context, never),
          cancel: (id: string) => cancel?.(id, context, never),
        };
      },
    },
  ];
  describe.each(sides)('an operation of a $side', ({ side, of }) => {
    it('reports its progress until it has ended', async () => {
      const { progress } = of();
      const id = `2//shop/${side}`;
      expect(await progress(id)).toEqual({
        completed: false,
        nCompleted: 1,
        nTotal: 2,
        units: 'polls',
        description: 'asked',
        startedAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:01.000Z',
      });
      expect(await progress(id)).toMatchObject({ completed: true, nCompleted: 2, nTotal: 2 });
    });

    it('reports why it failed', async () => {
      const ended = await of().progress(`1/disk%20is%20full/shop/${side}`);
      expect(ended).toMatchObject({ completed: true, error: 'disk is full' });
    });

    it('ends when it is cancelled', async () => {
      const { progress, cancel } = of();
      const id = `9//shop/${side}`;
      await cancel(id);
      expect(await progress(id)).toMatchObject({ completed: true, error: 'cancelled' });
    });

    it('returns an error when the program does not know it', async () => {
      const asked = of().progress('nonsense');
      expect(await asked?.catch(describeError)).toContain(
        'answered Progress with an error: no such operation: nonsense',
      );
    });
  });
}
