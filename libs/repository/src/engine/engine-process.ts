import type { ChildExit, ChildRun, ChildRunner } from '@lateen/child-process';

/** Runs an engine's program: `childRunner`, or a double of it in tests. */
export type EngineProcess = ChildRunner;

/** One run of an engine. */
export type EngineRun = ChildRun;

/** How a run ended, and its output. */
export type EngineExit = ChildExit;
