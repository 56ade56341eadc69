import { AppError } from '@lateen/errors';
import { type EngineProcess, killedFailure } from '@lateen/repository';

/**
 * Makes the kernel write everything of the volume's file system to its device (syncfs, through coreutils' `sync`), so that a
 * write error is reported here and not after the restore is Completed.
 * @throws VOLUME_SYNC_FAILED, ENGINE_KILLED; the signal's reason
 */
export async function syncVolume(sync: EngineProcess, volumePath: string, signal: AbortSignal): Promise<void> {
  const exit = await sync.run({ args: ['--file-system', volumePath], env: { LC_ALL: 'C' }, signal });
  signal.throwIfAborted();
  const killed = killedFailure(exit, `writing the restored data to ${volumePath}: sync`);
  if (killed !== undefined) throw killed;
  if (exit.exitCode === 0) return;
  throw new AppError(
    'VOLUME_SYNC_FAILED',
    `the restored data cannot be written to ${volumePath}: ${exit.stderr.trim()}`,
    {
      retry: 'later',
      nextStep: 'Check the node and the storage of the volume; the kernel log names the device.',
    },
  );
}
