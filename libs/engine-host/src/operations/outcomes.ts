export interface Outcomes {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** Of those that failed; undefined when none has. */
  readonly firstError: unknown;
}

/** Runs `act` for all names in parallel, and returns when all have ended which have succeeded and which have failed. Never rejects. */
export async function outcomesOf(names: readonly string[], act: (name: string) => Promise<unknown>): Promise<Outcomes> {
  const ends = await Promise.allSettled(names.map(act));
  const isDone = (_: string, index: number) => ends[index]?.status === 'fulfilled';
  const first = ends.find((end) => end.status === 'rejected');
  return {
    done: names.filter(isDone),
    failed: names.filter((name, index) => !isDone(name, index)),
    firstError: first?.reason,
  };
}
