import { describeError } from '@lateen/errors';
import { makeLogger } from '@lateen/logging';
import { failurePrefix } from '@lateen/maintenance';
import { exitCodeOf, exitCodes, stopSignal, writeTermination } from '@lateen/process';
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
  try {
    return await runRepositoryTask(command, config, { log, stop, write: (text) => process.stdout.write(text) });
  } catch (error) {
    log.error({ err: error }, 'the task cannot be begun');
    await writeTermination(config.terminationLogPath, failurePrefix + describeError(error), log);
    return exitCodes.failed;
  }
}

process.exitCode = await exitCodeOf('repo-maintenance', () => main(process.argv.slice(2)));
