import type { EngineExit, EngineProcess } from '@lateen/repository';
import { describe, expect, it } from 'vitest';
import { syncVolume } from './sync-volume.ts';

const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };

describe('the end of a restore', () => {
  const sync = (exit: Partial<EngineExit>, signal = new AbortController().signal) => {
    const program: EngineProcess = { run: async () => ({ ...good, ...exit }) };
    return syncVolume(program, '/uid', signal);
  };

  it('is reached after a successful sync of the device', () => expect(sync({})).resolves.toBeUndefined());

  it.each([
    [{ exitCode: 1, stderr: 'sync: error syncing: Input/output error\n' }, 'VOLUME_SYNC_FAILED'],
    [{ exitCode: undefined, endedBy: 'SIGKILL' }, 'ENGINE_KILLED'],
  ])('is not reached when %j', async (exit, code) => {
    await expect(sync(exit)).rejects.toMatchObject({ code });
  });

  it('is not reached when the movement is canceled', async () => {
    await expect(sync({}, AbortSignal.abort(new Error('canceled')))).rejects.toThrow('canceled');
  });
});
