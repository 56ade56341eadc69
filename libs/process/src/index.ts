export { type EngineBinaries, engineBinaries } from './engine-binaries.ts';
export { exitCodeOf, exitCodes } from './exit-code.ts';
export { commonFlags, flagRules } from './flag-rules.ts';
export { type PodConfig, readPodConfig } from './pod-config.ts';
export { type PodProgram, podExitCode } from './pod-exit-code.ts';
export { stopSignal } from './stop-signal.ts';
export { writeTermination } from './write-termination.ts';
