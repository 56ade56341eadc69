/** Limits for an engine, which is a Go program, so that it stays inside the limits of its pod. Absent means Go's default. */
export interface GoRuntime {
  /** A soft limit for the heap: close to it, Go collects garbage more and more often (machine.md section 7). */
  memoryLimitBytes?: number | undefined;
  /** How much the heap may grow between two collections, in percent of the live heap. */
  gcPercent?: number | undefined;
  /** Threads that run at the same time. */
  processors?: number | undefined;
}

export function goVariables({ memoryLimitBytes, gcPercent, processors }: GoRuntime): Record<string, string> {
  return {
    ...(memoryLimitBytes === undefined ? {} : { GOMEMLIMIT: `${Math.trunc(memoryLimitBytes)}B` }),
    ...(gcPercent === undefined ? {} : { GOGC: String(gcPercent) }),
    ...(processors === undefined ? {} : { GOMAXPROCS: String(processors) }),
  };
}
