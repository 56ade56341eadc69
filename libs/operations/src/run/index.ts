export { requestRunCancel } from './cancel-run.ts';
export type { Cause } from './causes.ts';
export type { QueueAhead, RunSight } from './follow-run.ts';
export type { BringFile, FileRead } from './read-file.ts';
export type { OutcomeFilter, OutcomesRead } from './read-outcomes.ts';
export type { Run, RunCounts, RunNoun, RunPhase } from './run-noun.ts';
export { type Progress, RunProgressMeter, type RunProgressView } from './run-progress.ts';
