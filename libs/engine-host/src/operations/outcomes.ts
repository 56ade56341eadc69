export interface Outcomes {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  /** Of those that failed; undefined when none has. */
  readonly firstError: unknown;
}

/** Does something on each of some replicas at once, and says when all have ended who has and who has not. Never rejects. */
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
