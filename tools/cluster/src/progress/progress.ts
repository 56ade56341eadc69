/** Gets the progress of long work; the implementation decides how it is shown. Every method returns immediately and never throws. */
export interface Progress {
  /** A step starts. Several may run at the same time. */
  begin(label: string): ProgressStep;
  /** Information that is not a step, printed as a line. */
  note(text: string): void;
}

export interface ProgressStep {
  /** The current state of the step; replaces the last such text. */
  update(text: string): void;
  /** The step has succeeded; `text` may add a detail. Later calls are ignored. */
  done(text?: string): void;
  /** The step has failed. The reason is in the error, not here. */
  failed(): void;
}

const silentStep: ProgressStep = { update: () => {}, done: () => {}, failed: () => {} };

/** Shows nothing. */
export const silentProgress: Progress = { begin: () => silentStep, note: () => {} };

/** Runs `action` as one step: done when it resolves, failed when it throws. */
export async function during<T>(
  progress: Progress,
  label: string,
  action: (step: ProgressStep) => Promise<T>,
): Promise<T> {
  const step = progress.begin(label);
  try {
    const result = await action(step);
    step.done();
    return result;
  } catch (error) {
    step.failed();
    throw error;
  }
}
