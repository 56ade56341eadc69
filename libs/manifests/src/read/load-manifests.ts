import { join } from 'node:path';
import type { Unstructured } from '@lateen/kube';
import { type ManifestPart, manifestParts } from '../render/render-options.ts';
import { loadKustomization, loadManifestDirectory } from './manifest-files.ts';

/** The objects of deploy/ as they are written there, by part. Plain JSON, so that a build can carry them inside a program. */
export type Manifests = Readonly<Record<ManifestPart, readonly Unstructured[]>>;

/** Reads the folder that holds base/ and crds/. @throws DEPLOY_MANIFEST_INVALID naming the file */
export async function loadManifests(deployDir: string): Promise<Manifests> {
  const parts = await Promise.all(
    manifestParts.map(async (part) => {
      const read = part === 'crds' ? loadManifestDirectory : loadKustomization;
      return [part, await read(join(deployDir, part === 'crds' ? 'crds' : join('base', part)))] as const;
    }),
  );
  return Object.fromEntries(parts) as Record<ManifestPart, Unstructured[]>;
}
