import { fileURLToPath } from 'node:url';
import { loadManifests, type Manifests } from '@lateen/manifests';

/** The build defines the objects of deploy/ as JSON (tools/image); in a checkout the name is not defined. */
declare const LATEEN_MANIFESTS: string | undefined;

/**
 * The objects that this version of `lateen` installs: those from its build, or those of its own checkout.
 * @throws DEPLOY_MANIFEST_INVALID
 */
export async function bundledManifests(): Promise<Manifests> {
  if (typeof LATEEN_MANIFESTS === 'string') return JSON.parse(LATEEN_MANIFESTS);
  return await loadManifests(fileURLToPath(new URL('../../../../deploy', import.meta.url)));
}
