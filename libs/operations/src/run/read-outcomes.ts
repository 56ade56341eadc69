/** Which outcomes are wanted; an absent field does not filter. @typeParam V the outcome of an item, in one word */
export interface OutcomeFilter<V extends string> {
  outcomes?: readonly V[] | undefined;
  kinds?: readonly string[] | undefined;
  namespaces?: readonly string[] | undefined;
}

/** The outcomes that were read. */
export interface OutcomesRead<O, V extends string> {
  counts: Partial<Record<V, number>>;
  /** The first wanted outcomes. */
  shown: readonly O[];
  /** How many wanted outcomes are not shown. */
  more: number;
}

/** The fields that every outcome has of its object. */
interface OutcomeOfObject {
  kind: string;
  namespace?: string;
}

/** The limit of shown outcomes; a narrower filter shows the others. */
export const outcomesShownMax = 10_000;

/**
 * Reads outcomes one by one, so that memory is bounded for any number of items.
 * @throws what `outcomes` throws
 */
export async function readOutcomes<O extends OutcomeOfObject, V extends string>(
  outcomes: AsyncIterable<O>,
  verdictOf: (outcome: O) => V,
  filter: OutcomeFilter<V>,
): Promise<OutcomesRead<O, V>> {
  const wanted = wantedBy(filter);
  const counts: Partial<Record<V, number>> = {};
  const shown: O[] = [];
  let more = 0;
  for await (const outcome of outcomes) {
    const verdict = verdictOf(outcome);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    if (!wanted(outcome, verdict)) continue;
    if (shown.length < outcomesShownMax) shown.push(outcome);
    else more += 1;
  }
  return { counts, shown, more };
}

function wantedBy<V extends string>({ outcomes, kinds, namespaces }: OutcomeFilter<V>) {
  const lower = kinds?.map((kind) => kind.toLowerCase());
  return ({ kind, namespace }: OutcomeOfObject, verdict: V): boolean =>
    (outcomes === undefined || outcomes.includes(verdict)) &&
    (lower === undefined || lower.includes(kind.toLowerCase())) &&
    (namespaces === undefined || namespaces.includes(namespace ?? ''));
}
