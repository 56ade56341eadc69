import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { type PluginWorld, pluginWorld } from '../plugin-world.ts';
import { aBackupContext, anItem, backupAction, never } from './items.ts';

/** Faults of a program. Each test has a separate run, and so separate processes. */
export function describeFaults(world: () => PluginWorld, place: Parameters<typeof pluginWorld>[0]): void {
  describe('a program that dies', () => {
    it('once costs nothing: a new process handles the item, and the log says what happened', async () => {
      const { host, folder } = world();
      const context = aBackupContext('crash-once');
      const marker = join(folder, 'crashed');
      const item = anItem({ crashOnce: marker, annotate: { done: 'yes' } });
      const result = await backupAction(host).execute(item, context, never);
      expect(existsSync(marker)).toBe(true);
      expect(result.item.metadata.annotations?.done).toBe('yes');
      expect(context.log.lines).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          message: 'plugin program ended during a call, which is tried once more',
        }),
      );
    });

    it('again fails this item with the reason, and no other', async () => {
      const context = aBackupContext('crash-twice');
      const action = backupAction(world().host);
      const others = ['a', 'b', 'c'].map((name) =>
        action.execute(anItem({ annotate: { name } }, name), context, never),
      );
      const dying = action.execute(anItem({ crash: 'the cache is broken' }), context, never);
      const message = await dying.catch(describeError);
      expect(message).toContain('the program of plugin fixture.lateen.dev/backup ended during Execute, and again');
      expect(message).toContain('the cache is broken');
      const names = (await Promise.all(others)).map(({ item }) => item.metadata.annotations?.name);
      expect(names).toEqual(['a', 'b', 'c']);
      await action.execute(anItem(), context, never);
    });
  });

  describe('a program that hangs', () => {
    it('fails the item at the timeout, and a new process handles the next one', async () => {
      // Long enough for an answer of these programs on a busy machine.
      await using hasty = await pluginWorld(place, { limits: { callMs: 3_000 } });
      const context = aBackupContext('hang');
      const action = backupAction(hasty.host);
      const message = await action.execute(anItem({ hang: true }), context, never).catch(describeError);
      expect(message).toContain('plugin fixture.lateen.dev/backup did not answer Execute within 3s');
      await action.execute(anItem(), context, never);
    });

    it('does not delay a cancelled backup', async () => {
      const stop = new AbortController();
      const hanging = backupAction(world().host).execute(
        anItem({ hang: true, log: [{ level: 'info', message: 'hanging' }] }),
        aBackupContext('cancelled'),
        stop.signal,
      );
      stop.abort(new Error('cancelled'));
      await expect(hanging).rejects.toThrow('cancelled');
    });
  });

  describe('the log of a program', () => {
    it('arrives in the log of the run, with the name of the program and levels', async () => {
      const context = aBackupContext('log');
      const action = backupAction(world().host);
      const lines = (['debug', 'info', 'warn', 'error'] as const).map((level) => ({
        level,
        message: `a line at ${level}`,
      }));
      await action.execute(anItem({ log: lines, print: 'printed' }), context, never);
      // At a level that the SDK chooses.
      await expect.poll(() => context.log.messages()).toContain('printed');
      await action.endItems?.(context, never);
      for (const { level, message } of lines) {
        const fields = expect.objectContaining({ pluginName: expect.any(String), cmd: expect.any(String) });
        expect(context.log.lines).toContainEqual(expect.objectContaining({ level, message, fields }));
      }
    });

    it('is limited, and reports how many lines are missing', async () => {
      const context = aBackupContext('flood');
      const action = backupAction(world().host);
      await action.execute(
        anItem({ logLines: 5_000, log: [{ level: 'error', message: 'a grave one' }] }),
        context,
        never,
      );
      await action.endItems?.(context, never);
      const kept = context.log.messages('info').filter((message) => message.startsWith('line '));
      const dropped = context.log.lines.flatMap(({ message, fields: { lines } }) =>
        message.startsWith('the plugin program logs too much') && typeof lines === 'number' ? [lines] : [],
      );
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.length + dropped.reduce((sum, lines) => sum + lines, 0)).toBeGreaterThanOrEqual(5_000);
      expect(kept.length).toBeLessThan(5_000);
      expect(context.log.messages('error')).toContain('a grave one');
    });
  });
}
