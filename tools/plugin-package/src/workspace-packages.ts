import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Manifest {
  name: string;
  version: string;
  description: string;
  exports: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
}

export const isOurs = (name: string): boolean => name.startsWith('@lateen/');

/** The package.json of a library of the workspace. */
export async function libraryManifest(root: string, name: string): Promise<Manifest> {
  const path = join(root, 'libs', name.slice('@lateen/'.length), 'package.json');
  return JSON.parse(await readFile(path, 'utf8')) as Manifest;
}

/** The library and all workspace libraries that it depends on, directly or indirectly. */
export async function withDependencies(root: string, name: string): Promise<ReadonlyMap<string, Manifest>> {
  const found = new Map<string, Manifest>();
  const visit = async (one: string): Promise<void> => {
    if (found.has(one)) return;
    const manifest = await libraryManifest(root, one);
    found.set(one, manifest);
    for (const dependency of Object.keys(manifest.dependencies ?? {}).filter(isOurs)) await visit(dependency);
  };
  await visit(name);
  return found;
}
