/** The files with the limits of a container: cgroup v2, then v1, at the paths inside containers. */
export const cgroupFiles = {
  memoryV2: '/sys/fs/cgroup/memory.max',
  cpuV2: '/sys/fs/cgroup/cpu.max',
  memoryV1: '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  /** Contains the smallest limit of the cgroup and its ancestors: the pod's, for example. */
  memoryStatV1: '/sys/fs/cgroup/memory/memory.stat',
  cpuQuotaV1: '/sys/fs/cgroup/cpu/cpu.cfs_quota_us',
  cpuPeriodV1: '/sys/fs/cgroup/cpu/cpu.cfs_period_us',
} as const;

export type CgroupTexts = Partial<Record<keyof typeof cgroupFiles, string>>;

export interface CgroupLimits {
  memoryBytes: number | undefined;
  cpuMillis: number | undefined;
}

/** "No limit" is written as `max`, -1, or a number close to 2^63. */
export function cgroupLimits(texts: CgroupTexts): CgroupLimits {
  const hierarchical = /^hierarchical_memory_limit (\d+)$/m.exec(texts.memoryStatV1 ?? '')?.[1];
  const memory = [texts.memoryV2, texts.memoryV1, hierarchical].map(limitOf).filter((each) => each !== undefined);
  const [quotaV2, periodV2] = (texts.cpuV2 ?? '').trim().split(' ');
  const quota = limitOf(quotaV2) ?? limitOf(texts.cpuQuotaV1);
  const period = limitOf(periodV2) ?? limitOf(texts.cpuPeriodV1);
  return {
    memoryBytes: memory.length === 0 ? undefined : Math.min(...memory),
    cpuMillis: quota === undefined || period === undefined ? undefined : Math.ceil((quota / period) * 1000),
  };
}

function limitOf(text: string | undefined): number | undefined {
  const limit = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}
