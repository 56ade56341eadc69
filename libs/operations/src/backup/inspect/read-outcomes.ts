import { type ItemOutcome, type ItemOutcomeKind, outcomesIn } from '@lateen/backup-store';

/** Which outcomes are wanted; what is absent does not matter. */
export interface OutcomeFilter {
  outcomes?: readonly ItemOutcomeKind[] | undefined;
  kinds?: readonly string[] | undefined;
  namespaces?: readonly string[] | undefined;
}

/** What is known of the outcomes of all items. */
export interface OutcomesRead {
  counts: Partial<Record<ItemOutcomeKind, number>>;
  /** The first of those that are wanted. */
  shown: readonly ItemOutcome[];
  /** How many more are wanted than are shown. */
  more: number;
}

/** As many lines as anybody reads; a narrower filter shows the others. */
export const outcomesShownMax = 10_000;

/**
 * Reads outcomes line by line, so that memory is bounded whatever the size of the backup.
 * @throws AppError BACKUP_FILE_BROKEN; what `pieces` throws
 */
export async function readOutcomes(pieces: AsyncIterable<Uint8Array>, filter: OutcomeFilter): Promise<OutcomesRead> {
  const wanted = wantedBy(filter);
  const counts: OutcomesRead['counts'] = {};
  const shown: ItemOutcome[] = [];
  let more = 0;
  for await (const outcome of outcomesIn(pieces)) {
    counts[outcome.outcome] = (counts[outcome.outcome] ?? 0) + 1;
    if (!wanted(outcome)) continue;
    if (shown.length < outcomesShownMax) shown.push(outcome);
    else more += 1;
  }
  return { counts, shown, more };
}

function wantedBy({ outcomes, kinds, namespaces }: OutcomeFilter): (outcome: ItemOutcome) => boolean {
  const lower = kinds?.map((kind) => kind.toLowerCase());
  return (each) =>
    (outcomes === undefined || outcomes.includes(each.outcome)) &&
    (lower === undefined || lower.includes(each.kind.toLowerCase())) &&
    (namespaces === undefined || namespaces.includes(each.namespace ?? ''));
}
