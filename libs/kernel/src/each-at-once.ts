/**
 * Works on several items at a time, in their order. The first failure keeps further items from being begun; it rejects when those
 * under way have ended.
 */
export async function eachAtOnce<T>(
  items: Iterable<T>,
  atOnceMax: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0) {
      const next = rest.next();
      if (next.done === true) return;
      try {
        await act(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, worker));
  if (failures.length > 0) throw failures[0];
}
