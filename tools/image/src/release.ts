/**
 * What the programs of a release need to know of it (libs/api-types: names/installation.ts, libs/manifests: render/render-manifests.ts).
 */
export interface Release {
  /** `1.2.3`, without a "v". */
  version: string;
  /** Full names of its images, which `lateen install` of this release installs. */
  image: string;
  sidecarImage: string;
  storageImage: string;
}

/** Names of a release's images: `REPOSITORY:VERSION`, `REPOSITORY-sidecars:VERSION`, `REPOSITORY-storage:VERSION`. */
export const releaseOf = (version: string, repository: string): Release => ({
  version,
  image: `${repository}:${version}`,
  sidecarImage: `${repository}-sidecars:${version}`,
  storageImage: `${repository}-storage:${version}`,
});

/** For esbuild. */
export const releaseConstant = (release: Release | undefined): Record<string, string> =>
  release === undefined ? {} : { LATEEN_RELEASE: JSON.stringify(release) };
