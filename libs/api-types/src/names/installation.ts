/** Namespace an installation lives in unless told otherwise (api.md section 1). */
export const defaultNamespace = 'velero';

/** The name that Velero gives the location its `install` makes (cli.md section 13). */
export const defaultLocationName = 'default';

export const nodeAgentName = 'node-agent';
export const controllerName = 'lateen-controller';
export const serviceAccountName = 'velero';

/** The build of a release puts its version here (tools/image: release.ts); in a checkout it is not there. */
declare const LATEEN_RELEASE: { version: string } | undefined;

/** Release of this product, the same for all its programs, without a "v". */
export const productVersion: string = typeof LATEEN_RELEASE === 'undefined' ? '0.1.0' : LATEEN_RELEASE.version;

/** Velero's release whose API, bucket layout and command line we speak; what clients and servers compare of each other. */
export const spokenVersion = 'v1.18.0';

/** `spec.datamover` values that mean us: an absent one, an empty one, and these names. Objects for others are ignored. */
export const builtInDataMover = 'velero';

/** The same mover by the name of Velero 1.19 (after-1.18.1.md 1B). */
export const fileSystemDataMover = 'velero-fs';

/** Velero 1.19's name for the mover that reads and writes volumes as block devices (after-1.18.1.md 1B). */
export const blockDataMover = 'velero-block';

export function isBuiltInDataMover(datamover: string | undefined): boolean {
  return ['', builtInDataMover, fileSystemDataMover, blockDataMover].includes(datamover ?? '');
}

/**
 * Whether a mover of ours does not move volumes of this mode. `velero-block` would have to expose a volume with a file system as a
 * device, which we do not.
 * @param volumeMode of the claim; absent is Filesystem
 */
export const isUnfitDataMover = (datamover: string | undefined, volumeMode: string | undefined): boolean =>
  datamover === blockDataMover && volumeMode !== 'Block';
