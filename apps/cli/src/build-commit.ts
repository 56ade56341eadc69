import { fileURLToPath } from 'node:url';
import { systemClock } from '@lateen/kernel';
import { checkoutCommit } from '@lateen/manifests';

/** The build puts the commit here, or nothing when it does not know it (tools/image); in a checkout it is not there. */
declare const LATEEN_COMMIT: string | undefined;

/** The commit that this program was built from, or that its checkout is at; undefined when nobody knows. */
export async function buildCommit(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  if (typeof LATEEN_COMMIT === 'string') return LATEEN_COMMIT || undefined;
  return await checkoutCommit(fileURLToPath(new URL('../../..', import.meta.url)), env, systemClock);
}
