import { limitIn, scratchLimitIn } from '@lateen/api-types';
import { type CgroupTexts, cgroupFiles, cgroupLimits } from './cgroup-limits.ts';
import type { OwnLimits } from './engine-budget.ts';

export interface LimitSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** Where the engine's files go. */
  scratchDirectory: string;
  cacheVolumePath: string | undefined;
  readText(path: string): Promise<string>;
  /** Of the file system that the path is on. */
  space(path: string): Promise<{ totalBytes: number; freeBytes: number }>;
}

/**
 * What this process may use: what its pod says (`limitVariables`, `scratchVariable`), and what its cgroup
 * says, which has limits that others have set. What nobody says, or cannot be read, is not limited.
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

/** A kernel has only some of these files, and a directory may not be there yet: then nothing is known of it. */
const orNothing = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

function least(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
