import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from '@lateen/image';
import { loadManifests, type ManifestPart, renderManifests } from '@lateen/manifests';
import { dump } from 'js-yaml';

/** Input of `kubectl apply --server-side -f`, by the name of the file. */
const files: Readonly<Record<string, readonly ManifestPart[]>> = {
  crds: ['crds'],
  'crds-storage': ['crds-storage'],
  lateen: ['crds', 'namespace', 'controller', 'node-agent'],
  csi: ['snapshot-metadata', 'csi'],
  'volume-manager': ['crds-storage', 'snapshot-metadata', 'volume-manager'],
};

/** Writes `lateen-manifests-VERSION-NAME.yaml` for each group of parts, with the release's images. */
export async function writeManifests(root: string, release: Release, folder: string): Promise<void> {
  const manifests = await loadManifests(join(root, 'deploy'));
  for (const [name, parts] of Object.entries(files)) {
    const objects = renderManifests(manifests, { ...release, parts });
    const text = objects.map((object) => dump(object, { noRefs: true })).join('---\n');
    await writeFile(join(folder, `lateen-manifests-${release.version}-${name}.yaml`), text);
  }
}
