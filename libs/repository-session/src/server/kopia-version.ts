import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';

/**
 * Lines of kopia whose server has passed test/cluster/src/parts/repository-session.test.ts. The session protocol has no version of
 * its own: another line may have another one, which would only show when something is stored wrongly.
 */
export const knownKopiaLines = ['0.22'] as const;

/**
 * Returns the version of the program (`0.22.3`).
 * @throws AppError REPOSITORY_SERVER_UNSUPPORTED for a line that is not known to work; as `kopia.failure`; the signal's reason on abort
 */
export async function checkKopiaVersion(kopia: KopiaSession, signal: AbortSignal): Promise<string> {
  const exit = await kopia.run(['--version'], { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw kopia.failure(exit, 'asking kopia for its version');
  return knownVersion(exit.stdout);
}

/** @throws AppError REPOSITORY_SERVER_UNSUPPORTED. Pure. */
export function knownVersion(said: string): string {
  const [, version = '', line = ''] = /^v?((\d+\.\d+)\.\d+\S*)/.exec(said.trim()) ?? [];
  if ((knownKopiaLines as readonly string[]).includes(line)) return version;
  const shown = version === '' ? JSON.stringify(said.trim().slice(0, 80)) : version;
  throw new AppError(
    'REPOSITORY_SERVER_UNSUPPORTED',
    `kopia ${shown} is not known to serve a repository as it is needed here; known: ${knownKopiaLines.join(', ')}`,
    { nextStep: 'Use the image as it is released; until then volumes are read as a whole.' },
  );
}
