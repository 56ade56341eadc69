import { allProcesses, processEnvironment } from '@lateen/child-process';
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

const never = new AbortController().signal;
const MiB = 1024 * 1024;

/** Processes that we started for programs of this folder: their temporary files are below it. */
async function pidsOf(folder: string): Promise<number[]> {
  const ours = (await allProcesses()).filter(({ parentPid, zombie }) => parentPid === process.pid && !zombie);
  const facts = await Promise.all(ours.map(async ({ pid }) => ({ pid, env: await processEnvironment(pid) })));
  return facts.filter(({ env }) => env.get('TMPDIR')?.startsWith(folder)).map(({ pid }) => pid);
}

describe('a program that', () => {
  const nonsense = [
    `--list=${JSON.stringify([{ kind: 'BackupItemActionV2', name: 'fixture.lateen.dev/backup' }])}`,
    '--answer=hello',
  ];
  it('answers nonsense fails the item, and says what is wrong with the answer', async () => {
    await using world = await pluginWorld((plugins) => strangeProgram(plugins, 'nonsense', nonsense));
    const failed = backupAction(world.host).execute(anItem(), aBackupContext(), never);
    expect(await failed.catch(describeError)).toContain(
      'the item that plugin fixture.lateen.dev/backup answered is no JSON',
    );
  });

  it('answers with more than the limit fails the item and goes on', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'large'), {
      limits: { replyBytesMax: MiB },
    });
    const action = backupAction(world.host);
    const failed = action.execute(anItem({ fillerBytes: 2 * MiB }), aBackupContext(), never);
    expect(await failed.catch(describeError)).toContain(
      'the answer of plugin fixture.lateen.dev/backup to Execute is larger than 1.00 MiB',
    );
    await action.execute(anItem(), aBackupContext(), never);
  });

  it('needs more memory than its limit fails the item and says so', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'greedy'), {
      memoryBytesMax: 200 * MiB,
      limits: { memoryCheckMs: 20 },
    });
    const failed = backupAction(world.host).execute(anItem({ fillerBytes: 150 * MiB }), aBackupContext(), never);
    expect(await failed.catch(describeError)).toMatch(
      /it needed more memory than its limit of 200 MiB|it used \d+ MiB of memory, and its limit is 200 MiB/,
    );
  });

  it('is killed in the middle costs its items a second try, and no more', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'killed'));
    const context = aBackupContext();
    const action = backupAction(world.host);
    await action.execute(anItem(), context, never);
    const items = Array.from({ length: 8 }, (_, index) =>
      anItem({ annotate: { done: 'yes' }, fillerBytes: MiB }, `item-${index}`),
    );
    const results = items.map((item) => action.execute(item, context, never));
    for (const pid of await pidsOf(world.folder)) process.kill(pid, 'SIGKILL');
    for (const { item } of await Promise.all(results)) expect(item.metadata.annotations?.done).toBe('yes');
    expect(context.log.messages('warn').length).toBeGreaterThan(0);
  });

  it('nobody needs any more is gone, and leaves nothing', async () => {
    await using world = await pluginWorld((plugins) => typescriptProgram(plugins, 'ended'));
    const context = aBackupContext();
    const action = backupAction(world.host);
    await action.execute(anItem(), context, never);
    expect(await pidsOf(world.folder)).toHaveLength(1);
    await action.endItems?.(context, never);
    expect(await pidsOf(world.folder)).toEqual([]);
  });
});
