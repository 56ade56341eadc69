import { limitIn, scratchLimitIn } from '@lateen/api-types';
import { type CgroupTexts, cgroupFiles, cgroupLimits } from './cgroup-limits.ts';
import type { OwnLimits } from './engine-budget.ts';

export interface LimitSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** Directory for the engine's files. */
  scratchDirectory: string;
  cacheVolumePath: string | undefined;
  readText(path: string): Promise<string>;
  /** Bytes of the file system that contains the path. */
  space(path: string): Promise<{ totalBytes: number; freeBytes: number }>;
}

/**
 * The limits of this process: from its pod (`limitVariables`, `scratchVariable`), and from its cgroup, which also has limits of
 * other origin. A limit that is not set, or cannot be read, counts as none.
 */
export async function ownLimits(sources: LimitSources): Promise<OwnLimits> {
  const { environment, scratchDirectory, cacheVolumePath } = sources;
  const [texts, cacheVolume, scratch] = await Promise.all([
    cgroupTexts(sources),
    cacheVolumePath === undefined ? undefined : spaceOf(sources, cacheVolumePath),
    spaceOf(sources, scratchDirectory),
  ]);
  const cgroup = cgroupLimits(texts);
  return {
    memoryBytes: least(limitIn(environment, 'memory'), cgroup.memoryBytes),
    cpuMillis: least(limitIn(environment, 'cpu'), cgroup.cpuMillis),
    ephemeralBytes: least(limitIn(environment, 'ephemeral-storage'), scratchLimitIn(environment)),
    cacheVolumeBytes: cacheVolume?.totalBytes,
    scratchFreeBytes: scratch?.freeBytes,
  };
}

async function cgroupTexts({ readText }: LimitSources): Promise<CgroupTexts> {
  const files = Object.entries(cgroupFiles).map(async ([name, path]) => [name, await orNothing(readText(path))]);
  return Object.fromEntries(await Promise.all(files));
}

const spaceOf = ({ space }: LimitSources, path: string) => orNothing(space(path));

/** A kernel has only some of these files, and a directory may not exist yet: its value is then unknown. */
const orNothing = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

function least(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
