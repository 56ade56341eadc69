import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import type { Bundle } from './bundle.ts';
import type { LayerEntry } from './layer-tar.ts';

/** Folders of bundles and their compile cache in the image, without the leading "/". The cache contains relative paths. */
export const bundleDir = 'usr/local/lib/lateen/bin';
export const compileCacheDir = 'usr/local/lib/lateen/compile-cache';

/** Node has one cache per user: root's is created here, and the controller's unprivileged user gets the same one. */
const otherUids = [65532] as const;

const helpMsMax = 30_000;

/**
 * Runs each bundle once with --help, with the image's Node and its option (some options change the compiled code), so that the image
 * contains the compiled code: 20-25 % less processor time and 12 MB less memory at start for bundles of 1 MB (machine.md section 8).
 * Programs of workers do nothing in a separate process (libs/worker-pool), but are compiled. It is a smoke test too: a bundle that does not
 * load fails the build.
 * @param dir an empty directory to work in
 * @throws BUNDLE_BROKEN with the output of the program
 */
export async function warmCompileCache(options: {
  bundles: readonly Bundle[];
  node: string;
  dir: string;
  signal?: AbortSignal | undefined;
}): Promise<LayerEntry[]> {
  const { bundles, node, dir, signal } = options;
  const cache = join(dir, compileCacheDir);
  await mkdir(join(dir, bundleDir), { recursive: true });
  for (const { app, name, contents } of bundles) {
    const file = join(dir, bundleDir, `${name}.mjs`);
    await writeFile(file, contents);
    await chmod(file, 0o755);
    const flags = app.nodeFlag === undefined ? [] : [app.nodeFlag];
    await execa(node, [...flags, file, '--help'], {
      extendEnv: false,
      env: { PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1' },
      timeout: helpMsMax,
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    }).catch((error: { stderr?: string; shortMessage?: string }) => {
      signal?.throwIfAborted();
      const said = [error.shortMessage, error.stderr].filter((text) => text !== undefined && text !== '').join('\n');
      throw new AppError('BUNDLE_BROKEN', `${name} of apps/${app.name} is bundled but does not answer --help: ${said}`);
    });
  }
  return cacheEntries(cache);
}

async function cacheEntries(cache: string): Promise<LayerEntry[]> {
  const entries: LayerEntry[] = [{ path: compileCacheDir, directory: true }];
  for (const version of (await readdir(cache)).sort()) {
    entries.push({ path: `${compileCacheDir}/${version}`, directory: true });
    for (const name of (await readdir(join(cache, version))).sort())
      entries.push({ path: `${compileCacheDir}/${version}/${name}`, source: join(cache, version, name) });
    for (const uid of otherUids) {
      const other = version.replace(/-\d+$/, `-${uid}`);
      if (other !== version) entries.push({ path: `${compileCacheDir}/${other}`, linkTo: version });
    }
  }
  return entries;
}
