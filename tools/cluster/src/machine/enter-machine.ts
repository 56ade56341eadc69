import { type RunOptions, type RunResult, run } from '../host/run.ts';
import { type Machine, machineEnvironment } from './start-machine.ts';

/** Arguments of nsenter that run a program in a machine. Not `ip netns exec`, which remounts /sys and hides cgroups. */
export function enterArguments(initPid: number): string[] {
  return ['--target', String(initPid), '--mount', '--uts', '--ipc', '--net', '--pid', '--'];
}

/** Runs a program inside a machine to its end. @throws COMMAND_FAILED */
export function runInMachine(
  machine: Pick<Machine, 'initPid' | 'layout'>,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const env = { ...machineEnvironment(machine.layout), ...options.env };
  return run('nsenter', [...enterArguments(machine.initPid), ...argv], { ...options, cwd: '/', env });
}
