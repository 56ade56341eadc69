import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, imageApp } from '@lateen/image';

/** Paths of the files as in the image. */
export interface MoverBundle {
  /** `ways/mover-main.ts`. */
  program: string;
  /** The program of its worker threads. */
  worker: string;
  nodeFlags: readonly string[];
}

export async function bundleMover(root: string, directory: string): Promise<MoverBundle> {
  const app = imageApp('data-mover');
  // The size limits apply to the app, which loads a store only when it needs one.
  const unlimited = { ...app, bytesMax: Number.POSITIVE_INFINITY, forbidden: [] };
  const place = async (name: string, entry: string) => {
    const file = join(directory, `${name}.mjs`);
    await writeFile(file, (await bundle(unlimited, root, { entry })).contents);
    return file;
  };
  return {
    program: await place('mover', join(import.meta.dirname, 'ways', 'mover-main.ts')),
    worker: await place('restore-worker', join(root, 'apps', 'data-mover', 'src', 'restore-worker.ts')),
    nodeFlags: app.nodeFlag === undefined ? [] : [app.nodeFlag],
  };
}
