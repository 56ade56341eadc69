import { parseCron } from '@lateen/cron';

/** What is wrong with a cron expression, in the words of its parser: the `cronProblem` of `SettingChecks`. */
export function cronProblem(expression: string): string | undefined {
  try {
    parseCron(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
