/**
 * The results of all promises, in their order; rejects with the first of them that failed, but only when none is under way any more.
 * For work that is taken back when a part of it fails: what still goes on would come after.
 */
export async function settleAll<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const ends = await Promise.allSettled(work);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : undefined)) as unknown as T;
}
