import { ensureParts, streamProgress } from '@lateen/cluster';
import { isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';

/** The error codes of `ensureParts` on a machine that cannot build; any other error is a defect and must fail. */
const cannotBuild = ['GO_MISSING', 'GO_TOO_OLD'];

/** Why tests that need these programs cannot run here, or undefined when they can. Missing programs are built. */
export async function whyWithout(parts: readonly string[]): Promise<string | undefined> {
  try {
    await ensureParts(parts, streamProgress(process.stderr, systemClock));
    return undefined;
  } catch (error) {
    if (isAppError(error) && cannotBuild.includes(error.code)) return error.message;
    throw error;
  }
}
