import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { during, ensureParts, type Progress, programImage, sidecarParts } from '@lateen/cluster';
import { AppError } from '@lateen/errors';
import { type BuiltImage, buildImage, buildStorageImage, type Release, releaseOf } from '@lateen/image';
import { systemClock } from '@lateen/kernel';
import { checkoutCommit } from '@lateen/manifests';
import { packCreatePlugin, packPluginSdk } from '@lateen/plugin-package';
import { writeBillOfMaterials } from './bill-of-materials.ts';
import { writeChecksums } from './checksums.ts';
import { packChart } from './pack-chart.ts';
import { packCli } from './pack-cli.ts';
import { writeManifests } from './write-manifests.ts';

/** Root of the workspace. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface MakeReleaseOptions {
  version: string;
  /** Name of the images without a tag: `registry.example.io/lateen`. */
  repository: string;
  /** Output folder. It must be empty or not exist; afterwards it has all files or none. */
  folder: string;
  progress: Progress;
  signal?: AbortSignal | undefined;
}

/**
 * Creates all files of a release from this checkout. Uploads nothing, and changes nothing in the checkout. On abort or failure the folder
 * is as before.
 * @returns the names of the files in `folder`, sorted
 * @throws RELEASE_VERSION_INVALID, RELEASE_FOLDER_NOT_EMPTY, and what the builds throw
 */
export async function makeRelease(options: MakeReleaseOptions): Promise<string[]> {
  const { version, folder, progress, signal } = options;
  checkVersion(version);
  await refuseFull(folder);
  const unfinished = `${folder}.unfinished-${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await makeFiles(options, unfinished);
    await during(progress, 'checksums', () => writeChecksums(unfinished, signal));
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return (await readdir(folder)).sort();
}

async function makeFiles({ version, repository, progress, signal }: MakeReleaseOptions, folder: string): Promise<void> {
  const release = releaseOf(version, repository);
  const commit = await checkoutCommit(root, process.env, systemClock);
  const parts = await ensureParts(['kopia', 'helm', ...sidecarParts], progress, { signal });
  const { kopia = '', helm = '', ...sidecars } = parts;
  const file = (name: string) => join(folder, name);
  const common = { commit, release, signal };

  const images: BuiltImage[] = [];
  for (const [title, build] of [
    ['image', (output: string) => buildImage({ ...common, kopia, output })],
    ['storage-image', (output: string) => buildStorageImage({ ...common, output })],
  ] as const) {
    const output = file(`lateen-${version}-${title}.tar`);
    images.push(await during(progress, title, () => build(output)));
  }
  const made = await programImage({ tag: release.sidecarImage, programs: sidecars, signal });
  await copyFile(made.archive, file(`lateen-${version}-sidecars-image.tar`));

  await during(progress, 'packages for npm', () => packPackages(folder, release, commit));
  await during(progress, 'chart', () => packChart({ root, helm, release, folder, signal }));
  await during(progress, 'manifests', () => writeManifests(root, release, folder));
  await during(progress, 'SBOM', () =>
    writeBillOfMaterials({
      release,
      root,
      images,
      programs: [kopia, ...Object.values(sidecars)],
      output: file(`lateen-${version}-sbom.cdx.json`),
      now: new Date(systemClock.now()),
    }),
  );
}

async function packPackages(folder: string, release: Release, commit: string | undefined): Promise<void> {
  for (const [name, pack] of [
    ['cli', (to: string) => packCli({ root, folder: to, release, commit })],
    ['plugin', (to: string) => packPluginSdk(root, to, release.version)],
    ['create-plugin', (to: string) => packCreatePlugin(root, to, release.version)],
  ] as const) {
    const scratch = join(folder, `unpacked-${name}`);
    const tarball = await pack(scratch);
    await rename(tarball, join(folder, basename(tarball)));
    await rm(scratch, { recursive: true });
  }
}

/** SemVer 2 without build metadata, which image tags do not allow. */
const versionPattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

function checkVersion(version: string): void {
  if (versionPattern.test(version)) return;
  throw new AppError('RELEASE_VERSION_INVALID', `"${version}" is not the version of a release`, {
    nextStep: 'Give three numbers, for example 1.2.0, or 1.3.0-rc.1 for a preview; no "v" and no "+".',
  });
}

async function refuseFull(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new AppError('RELEASE_FOLDER_NOT_EMPTY', `the folder ${folder} has files in it`, {
    nextStep: 'Remove it, or name another one with --output. Files of two releases are never mixed.',
  });
}
