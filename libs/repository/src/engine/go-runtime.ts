/** How an engine, which is a Go program, is kept inside the limits of its pod. Absent means that Go decides. */
export interface GoRuntime {
  /** A soft limit for the heap: near it, Go collects garbage ever harder (machine.md section 7). */
  memoryLimitBytes?: number | undefined;
  /** How much the heap may grow between two collections, in percent of what is alive. */
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
