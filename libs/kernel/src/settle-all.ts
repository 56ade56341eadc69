/**
 * The results of all promises, in order; rejects with the first failure, but only after all have settled. For work that is undone after a failure: a
 * part that still ran would take effect after that.
 */
export async function settleAll<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const ends = await Promise.allSettled(work);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : undefined)) as unknown as T;
}
