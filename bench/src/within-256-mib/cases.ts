import { type Dataset, datasetOf } from '../restore-volumes/datasets.ts';

const MiB = 1024 ** 2;
const GB = 1e9;

/** A data set that is moved within the limit. */
export interface LimitedCase {
  dataset: Dataset;
  /** Also moved without a limit, as reference for the time. */
  comparesTime: boolean;
  /** Settings that users have for such a volume. */
  config: Readonly<Record<string, string>>;
  /** Size of the disk for the volume, a restored one, and repositories. */
  diskBytes: number;
}

export const limitedCaseNames = ['small', 'sparse-50', 'millions'] as const;

/** @param scale 1 is the full size */
export function limitedCase(name: string, scale: number): LimitedCase {
  switch (name) {
    case 'small':
      return { dataset: datasetOf('small', scale), comparesTime: true, config: {}, diskBytes: 3 * GB * scale };
    case 'millions':
      return { dataset: datasetOf('millions', scale), comparesTime: false, config: {}, diskBytes: 13 * GB * scale };
    case 'sparse-50': {
      const config = { WriteSparseFiles: 'true' };
      return { dataset: sparseFile(scale), comparesTime: false, config, diskBytes: 2 * GB };
    }
    default:
      throw new Error(`--case: there is no "${name}"; there are ${limitedCaseNames.join(', ')}`);
  }
}

/** 50 GB, of which 100 MiB are data. */
function sparseFile(scale: number): Dataset {
  const pieces = Math.max(Math.round(100 * scale), 1);
  const stepBytes = 477 * MiB;
  return {
    name: 'sparse-50',
    title: `one sparse file of ${Math.round((pieces * stepBytes) / GB)} GB`,
    mode: 'Filesystem',
    files: () => [{ path: 'data', bytes: pieces * MiB, seed: 'data' }],
    stepBytes,
  };
}
