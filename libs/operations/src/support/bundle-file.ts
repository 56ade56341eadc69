/** A file of a bundle, complete in memory: its size is bounded by `bundleLimits`. */
export interface BundleFile {
  /** The path inside the bundle, with slashes. */
  path: string;
  text: string;
  /** The contents in a few words: `12 objects`. */
  about: string;
}

/** Something that could not be collected. The bundle lacks it, and its list of contents says why. */
export interface BundleGap {
  path: string;
  error: unknown;
}

export type BundlePart = BundleFile | BundleGap;

export const isGap = (part: BundlePart): part is BundleGap => 'error' in part;
