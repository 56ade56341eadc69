const MiB = 1024 * 1024;

/** What this process and the page tables of both need; measured at 60 to 75 MB resident. */
const ownShareBytes = 110 * MiB;

/**
 * How much of the pod's memory limit kopia's heap may take, from the text of cgroup's memory.max; undefined without a
 * limit. Go then collects garbage harder instead of being killed (cluster-facts.md "Engine facts").
 */
export function engineMemoryBytes(memoryMax: string): number | undefined {
  const limit = Number(memoryMax.trim());
  if (!Number.isFinite(limit) || limit <= 0) return undefined;
  return Math.max(limit - ownShareBytes, Math.floor(limit / 2));
}
