import { type ProgramImage, programImage } from './program-image.ts';

export const pauseImageTag = 'localhost/lateen-pause:dev';
/** Contains a program for each of {@link sidecarParts}, `/csi-provisioner` and so on; manifests choose one with `command`. */
export const sidecarsImageTag = 'localhost/lateen-sidecars:dev';
export const sidecarParts = [
  'csi-provisioner',
  'csi-snapshotter',
  'csi-resizer',
  'csi-attacher',
  'csi-snapshot-metadata',
] as const;

/** The image of pause containers. `binaries` are the result of `ensureParts`. */
export function pauseImage(binaries: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ProgramImage> {
  return programImage({ tag: pauseImageTag, programs: only(binaries, ['pause']), entrypoint: ['/pause'], signal });
}

/** The CSI sidecars in one image, because there is no registry to pull them from. */
export function sidecarsImage(binaries: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ProgramImage> {
  return programImage({ tag: sidecarsImageTag, programs: only(binaries, sidecarParts), signal });
}

function only(binaries: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(binaries).filter(([name]) => names.includes(name)));
}
