import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { Release } from '@lateen/image';
import { execa } from 'execa';

export interface PackChartOptions {
  root: string;
  /** Path of helm. */
  helm: string;
  release: Release;
  /** The folder for `lateen-chart-VERSION.tgz`. */
  folder: string;
  signal?: AbortSignal | undefined;
}

/**
 * Packs the Helm chart with the release's version and the names of its images. @throws RELEASE_CHART_UNKNOWN when a default image of the
 * chart is not known
 */
export async function packChart({ root, helm, release, folder, signal }: PackChartOptions): Promise<void> {
  const scratch = join(folder, 'unpacked-chart');
  const chart = join(scratch, 'lateen');
  try {
    await cp(join(root, 'deploy', 'charts', 'lateen'), chart, { recursive: true });
    const values = join(chart, 'values.yaml');
    await writeFile(values, releasedValues(await readFile(values, 'utf8'), release));
    const { version } = release;
    await execa(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', scratch], {
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
    await rename(join(scratch, `lateen-${version}.tgz`), join(folder, `lateen-chart-${version}.tgz`));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Each image of values.yaml: its name there, and the image of the release. */
const defaultImages = [
  ['localhost/lateen', 'image'],
  ['localhost/lateen-sidecars', 'sidecarImage'],
  ['localhost/lateen-storage', 'storageImage'],
] as const;

/** The text of values.yaml, comments included, with the release's images in place of those of a local build. */
export function releasedValues(values: string, release: Release): string {
  return defaultImages.reduce((text, [repository, name]) => {
    const pattern = new RegExp(`^( *)repository: ${repository}\\n( *)tag: dev$`, 'gm');
    if (!pattern.test(text))
      throw new AppError(
        'RELEASE_CHART_UNKNOWN',
        `values.yaml of the chart does not name the image ${repository}:dev`,
        {
          nextStep: 'Correct repository and tag in values.yaml, on two consecutive lines, or change pack-chart.ts.',
        },
      );
    const [, tag] = /:([^:/]+)$/.exec(release[name]) ?? [];
    const to = release[name].slice(0, -(tag?.length ?? 0) - 1);
    return text.replace(pattern, `$1repository: ${to}\n$2tag: ${tag}`);
  }, values);
}
