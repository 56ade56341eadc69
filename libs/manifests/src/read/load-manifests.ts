import { join } from 'node:path';
import type { Unstructured } from '@lateen/kube';
import { everyPart, type ManifestPart } from '../render/render-options.ts';
import { loadKustomization, loadManifestDirectory } from './manifest-files.ts';

/** The objects of deploy/ as they are written there, by part. Plain JSON, so that a build can carry them inside a program. */
export type Manifests = Readonly<Record<ManifestPart, readonly Unstructured[]>>;

/** Reads the folder that holds base/, crds/ and crds-storage/. @throws DEPLOY_MANIFEST_INVALID naming the file */
export async function loadManifests(deployDir: string): Promise<Manifests> {
  const read = (part: ManifestPart) =>
    part === 'crds' || part === 'crds-storage'
      ? loadManifestDirectory(join(deployDir, part))
      : loadKustomization(join(deployDir, 'base', part));
  const parts = await Promise.all(everyPart.map(async (part) => [part, await read(part)] as const));
  return Object.fromEntries(parts) as Record<ManifestPart, Unstructured[]>;
}
