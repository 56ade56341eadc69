import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { loadManifests, type RenderOptions, renderManifests as render } from '@lateen/manifests';

const checkoutDeployDir = fileURLToPath(new URL('../../../deploy', import.meta.url));

/** The objects of this checkout's deploy/ for one cluster. Reads files only. @throws DEPLOY_MANIFEST_INVALID */
export async function renderManifests(options: RenderOptions = {}): Promise<Unstructured[]> {
  return render(await loadManifests(checkoutDeployDir), options);
}
