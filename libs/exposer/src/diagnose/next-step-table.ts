/** Messages of other programs, and the next step for each. */
export type NextStepTable = readonly (readonly [RegExp, string])[];

/**
 * Scheduler, provisioner and kubelet give no codes, only sentences. Here a sentence selects the advice and nothing else. The
 * first row that matches counts.
 */
export function nextStepFor(table: NextStepTable, message: string): string | undefined {
  return table.find(([pattern]) => pattern.test(message))?.[1];
}
