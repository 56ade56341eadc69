/**
 * Works on several items in parallel, in their order; lazily made items are requested as they are needed. After the first failure no further item is
 * begun; it rejects when the running ones have ended.
 */
export async function eachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnceMax: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0) {
      try {
        const next = await rest.next();
        if (next.done === true || failures.length > 0) return;
        await act(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, worker));
  if (failures.length === 0) return;
  await rest.return?.();
  throw failures[0];
}
