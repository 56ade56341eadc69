/** Words of another program and what to do when it says them. */
export type NextStepTable = readonly (readonly [RegExp, string])[];

/**
 * Scheduler, provisioner and kubelet give no codes, only sentences. They decide here what is advised, and nothing else.
 * The first row that matches counts.
 */
export function nextStepFor(table: NextStepTable, message: string): string | undefined {
  return table.find(([pattern]) => pattern.test(message))?.[1];
}
