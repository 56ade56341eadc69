import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@lateen/errors';
import { type ImageName, imageApps } from './apps.ts';
import { type Bundle, bundle } from './bundle.ts';
import { bundleDir, warmCompileCache } from './compile-cache.ts';
import { type LayerEntry, writeLayer } from './layer-tar.ts';
import type { Release } from './release.ts';

/** Root of the workspace. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface BundleAppsOptions {
  image: ImageName;
  /** Default: all apps of the image. */
  names?: readonly string[] | undefined;
  commit?: string | undefined;
  release?: Release | undefined;
}

/** The bundles of these apps and of their workers. @throws IMAGE_APP_UNKNOWN, BUNDLE_… */
export async function bundleApps({ image, names, commit, release }: BundleAppsOptions): Promise<Bundle[]> {
  const own = imageApps.filter((app) => (app.image ?? 'lateen') === image);
  const unknown = names?.find((name) => !own.some((app) => app.name === name));
  if (unknown !== undefined)
    throw new AppError('IMAGE_APP_UNKNOWN', `there is no app ${unknown} in the image ${image}`, {
      nextStep: `The apps are ${own.map(({ name }) => name).join(', ')}.`,
    });
  const apps = own.filter(({ name }) => names?.includes(name) ?? true);
  return Promise.all(
    apps.flatMap((app) =>
      [undefined, ...(app.workers ?? [])].map((worker) => bundle(app, root, { commit, release, worker })),
    ),
  );
}

/**
 * Writes the layer with our code: bundles, commands, and the compile cache for the given Node, which must be the build that the image runs.
 * @throws BUNDLE_BROKEN when a bundle does not start
 */
export async function writeBundleLayer(options: {
  bundles: readonly Bundle[];
  node: string;
  output: string;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { bundles, node, output, signal } = options;
  const dir = await mkdtemp(join(tmpdir(), 'lateen-warm-'));
  try {
    const cache = await warmCompileCache({ bundles, node, dir, signal });
    await writeLayer({ entries: [...bundleEntries(bundles), ...cache], output, signal });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function bundleEntries(bundles: readonly Bundle[]): LayerEntry[] {
  const files = bundles.flatMap(({ app, name, contents }): LayerEntry[] => {
    const file = { path: `${bundleDir}/${name}.mjs`, content: Buffer.from(contents), mode: 0o755 };
    const onPath = { path: `usr/local/bin/${app.entryPoint}`, linkTo: `../lib/lateen/bin/${name}.mjs` };
    return name === app.name ? [file, onPath] : [file];
  });
  return [{ path: 'usr/local/lib/lateen', directory: true }, { path: bundleDir, directory: true }, ...files];
}
