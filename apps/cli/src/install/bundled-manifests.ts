import { fileURLToPath } from 'node:url';
import { loadManifests, type Manifests } from '@lateen/manifests';

/** The build puts the objects of deploy/ here as JSON (tools/image); in a checkout it is not there. */
declare const LATEEN_MANIFESTS: string | undefined;

/**
 * The objects that this version of `lateen` installs: those it was built with, or those of its own checkout.
 * @throws DEPLOY_MANIFEST_INVALID
 */
export async function bundledManifests(): Promise<Manifests> {
  if (typeof LATEEN_MANIFESTS === 'string') return JSON.parse(LATEEN_MANIFESTS);
  return await loadManifests(fileURLToPath(new URL('../../../../deploy', import.meta.url)));
}
