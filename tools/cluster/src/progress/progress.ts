/** Told by long work what it does. The caller decides how that looks. Every method returns at once and never throws. */
export interface Progress {
  /** One thing begins. Several may run at the same time. */
  begin(label: string): ProgressStep;
  /** A fact worth a line that is not a step. */
  note(text: string): void;
}

export interface ProgressStep {
  /** What the step is at now; replaces the last such text. */
  update(text: string): void;
  /** The step ended well; `text` may say how. Later calls are ignored. */
  done(text?: string): void;
  /** The step ended badly. The reason travels as the error, not here. */
  failed(): void;
}

const silentStep: ProgressStep = { update: () => {}, done: () => {}, failed: () => {} };

/** Says nothing. */
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
