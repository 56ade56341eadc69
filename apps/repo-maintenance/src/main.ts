import { makeLogger } from '@lateen/logging';
import { failurePrefix } from '@lateen/maintenance';
import { exitCodes, podExitCode, stopSignal } from '@lateen/process';
import { runRepositoryTask } from './compose.ts';
import { readConfig } from './config.ts';
import { helpText, parseFlags } from './flags.ts';

/** Exit codes: flags.ts, `helpText`. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return exitCodes.done;
  }
  const config = readConfig(process.env);
  const log = makeLogger({ level: command.logLevel, format: command.logFormat });
  const stop = stopSignal('the task was told to stop', { again: 'ignored', retry: 'later' });
  return runRepositoryTask(command, config, { log, stop, write: (text) => process.stdout.write(text) });
}

process.exitCode = await podExitCode({
  name: 'repo-maintenance',
  failurePrefix,
  environment: process.env,
  main: () => main(process.argv.slice(2)),
});
