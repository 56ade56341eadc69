import { describeError } from '@lateen/errors';
import {
  aBackupContext,
  anItem,
  backupAction,
  pluginWorld,
  strangeProgram,
  typescriptProgram,
} from '@lateen/test-plugins';
import { describe, expect, it } from 'vitest';
import { pidsOf } from './pids-of.ts';

const never = new AbortController().signal;
const MiB = 1024 * 1024;

describe('a plugin program', () => {
  const nonsense = [
    `--list=${JSON.stringify([{ kind: 'BackupItemActionV2', name: 'fixture.lateen.dev/backup' }])}`,
    '--answer=hello',
  ];
  it('that answers nonsense fails the item, and the error says what is wrong with the answer', async () => {
    await using world = await pluginWorld((plugins) => strangeProgram(plugins, 'nonsense', nonsense));
    const failed = backupAction(world.host).execute(anItem(), aBackupContext(), never);
    expect(await failed.catch(describeError)).toContain(
      'the item that plugin fixture.lateen.dev/backup answered is not JSON',
    );
  });

  it('that answers with more than the limit fails the item and keeps running', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'large'), {
      limits: { replyBytesMax: MiB },
    });
    const action = backupAction(world.host);
    const failed = action.execute(anItem({ fillerBytes: 2 * MiB }), aBackupContext(), never);
    expect(await failed.catch(describeError)).toContain(
      'the answer of plugin fixture.lateen.dev/backup to Execute is larger than 1 MiB',
    );
    await action.execute(anItem(), aBackupContext(), never);
  });

  it('that exceeds its memory limit fails the item, and the error says so', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'greedy'), {
      memoryBytesMax: 200 * MiB,
      limits: { memoryCheckMs: 20 },
    });
    const failed = backupAction(world.host).execute(anItem({ fillerBytes: 150 * MiB }), aBackupContext(), never);
    expect(await failed.catch(describeError)).toMatch(
      /it needed more memory than its limit of 200 MiB|it used [\d.]+ MiB of memory, and its limit is 200 MiB/,
    );
  });

  it('that is killed costs its items a second try, and no more', async () => {
    await using world = await pluginWorld(typescriptProgram);
    const action = backupAction(world.host);
    const context = aBackupContext();
    const execute = async (count: number): Promise<string[]> => {
      const items = Array.from({ length: count }, (_, index) =>
        anItem({ annotate: { done: `${index}` } }, `item-${index}`),
      );
      const results = await Promise.all(items.map((item) => action.execute(item, context, never)));
      return results.map(({ item }) => item.metadata.annotations?.done ?? '');
    };
    await execute(1);
    const [before] = await pidsOf(world.folder);
    const done = execute(2_000);
    process.kill(before ?? 0, 'SIGKILL');
    expect(await done).toEqual(Array.from({ length: 2_000 }, (_, index) => `${index}`));
    expect(await pidsOf(world.folder)).not.toContain(before);
  });

  it('gets one call at a time from a run, unless settings or program allow more', async () => {
    for (const [actionCallsInFlightMax, parallelCalls, most] of [
      [1, undefined, 1],
      [4, undefined, 4],
      [1, 3, 3],
    ] as const) {
      const program = (folder: string) => typescriptProgram(folder, undefined, parallelCalls);
      await using world = await pluginWorld(program, { limits: { actionCallsInFlightMax } });
      const stop = new AbortController();
      const context = aBackupContext();
      const lines = Array.from({ length: 8 }, (_, index) => [{ level: 'info' as const, message: `item ${index}` }]);
      const hanging = lines.map((log) =>
        backupAction(world.host)
          .execute(anItem({ log, hang: true }), context, stop.signal)
          .catch(() => {}),
      );
      await expect.poll(() => context.log.messages('info').length).toBe(most);
      stop.abort();
      await Promise.all(hanging);
      await backupAction(world.host).endItems?.(context, never);
      expect(context.log.messages('info')).toHaveLength(most);
    }
  });

  it('is ended when no run needs it, and leaves nothing', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'ended'));
    const context = aBackupContext();
    const action = backupAction(world.host);
    await action.execute(anItem(), context, never);
    expect(await pidsOf(world.folder)).toHaveLength(1);
    await action.endItems?.(context, never);
    expect(await pidsOf(world.folder)).toEqual([]);
  });
});
