import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianLayer } from './debian-layer.ts';
import { lateenRoot } from './debian-root.ts';
import { imageCacheDir } from './image-cache.ts';
import { describeLayer } from './layer-blob.ts';
import { writeLayer } from './layer-tar.ts';
import { writeOciArchive } from './oci-archive.ts';

export interface PluginImageOptions {
  /** `localhost/a-plugin:dev` */
  tag: string;
  /** Programs by file name. */
  programs: Readonly<Record<string, Uint8Array>>;
  /** Path of the archive. */
  output: string;
  signal?: AbortSignal | undefined;
}

/**
 * An image of plugins as users build them: its container copies the programs to /target and ends. Its root is that of the product's image,
 * which is in the cache. @throws IMAGE_… naming what failed
 */
export async function pluginImage({ tag, programs, output, signal }: PluginImageOptions): Promise<{ digest: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-plugin-image-'));
  try {
    const layer = join(dir, 'plugins');
    const files = Object.entries(programs).map(([name, contents]) => ({
      path: `plugins/${name}`,
      content: Buffer.from(contents),
      mode: 0o755,
    }));
    await writeLayer({ entries: [{ path: 'plugins', directory: true }, ...files], output: layer, signal });
    const root = await debianLayer({
      ...{ dir: imageCacheDir(process.env), name: 'debian', contents: lateenRoot, signal },
      progress: () => {},
    });
    const config = { Entrypoint: ['cp', '-r', '/plugins/.', '/target/'], Env: ['PATH=/usr/bin:/bin'] };
    return await writeOciArchive({ tag, layers: [root, await describeLayer(layer, signal)], config, output, signal });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
