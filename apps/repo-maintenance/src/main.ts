import { AppError, describeError, isAppError } from '@lateen/errors';
import { makeLogger } from '@lateen/logging';
import { exitCodes, runRepositoryTask, writeTermination } from './compose.ts';
import { readConfig } from './config.ts';
import { helpText, parseFlags } from './flags.ts';
import { failurePrefix } from './reporter.ts';

/** Exit codes: flags.ts, `helpText`. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return exitCodes.done;
  }
  const config = readConfig(process.env);
  const log = makeLogger({ level: command.logLevel, format: command.logFormat });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () =>
      stop.abort(new AppError('STOPPED', `the task was told to stop (${name})`, { retry: 'later' })),
    );
  }
  try {
    return await runRepositoryTask(command, config, {
      log,
      stop: stop.signal,
      write: (text) => process.stdout.write(text),
    });
  } catch (error) {
    log.error({ err: error }, 'the task cannot be begun');
    await writeTermination(config.terminationLogPath, failurePrefix + describeError(error), log);
    return exitCodes.failed;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`repo-maintenance: ${describeError(error)}\n`);
  process.exitCode = isAppError(error, 'USAGE') ? exitCodes.usage : exitCodes.failed;
}
