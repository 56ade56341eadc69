import { ensureParts, streamProgress } from '@lateen/cluster';
import { isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';

/** What `ensureParts` says on a machine that cannot build; anything else is a defect and must fail. */
const cannotBuild = ['GO_MISSING', 'GO_TOO_OLD'];

/**
 * Why the tests of this tier cannot run here, or undefined when they can. `npm test` builds the parts first, so there
 * it only finds them.
 */
export async function whyNoApiServer(): Promise<string | undefined> {
  try {
    await ensureParts(['etcd', 'kube-apiserver'], streamProgress(process.stderr, systemClock));
    return undefined;
  } catch (error) {
    if (isAppError(error) && cannotBuild.includes(error.code)) return error.message;
    throw error;
  }
}
