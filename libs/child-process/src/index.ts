export { type ChildExit, type ChildRun, type ChildRunner, childOutputLimits } from './child-run.ts';
export { type ChildRunnerOptions, childRunner } from './child-runner.ts';
export { outputLines } from './output-lines.ts';
export { clearPrivateDirectory, writePrivateFile } from './private-file.ts';
export {
  allProcesses,
  bootId,
  commandLine,
  type ProcessFacts,
  parseStat,
  processEnvironment,
  processFacts,
} from './process-table.ts';
export { type DetachedProcess, startDetached } from './start-detached.ts';
