import { fileURLToPath } from 'node:url';
import { systemClock } from '@lateen/kernel';
import { checkoutCommit } from '@lateen/manifests';

/** The build defines the commit, or nothing when it does not know it (tools/image); in a checkout the name is not defined. */
declare const LATEEN_COMMIT: string | undefined;

/** The commit from which this program was built, or the commit of its checkout; undefined when it is not known. */
export async function buildCommit(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  if (typeof LATEEN_COMMIT === 'string') return LATEEN_COMMIT || undefined;
  return await checkoutCommit(fileURLToPath(new URL('../../..', import.meta.url)), env, systemClock);
}
