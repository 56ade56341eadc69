import { AppError, describeError, isAppError } from '@lateen/errors';
import { makeLogger } from '@lateen/logging';
import { CommanderError } from 'commander';
import { runControllerApp } from './compose.ts';
import { readConfig } from './config.ts';

async function main(argv: readonly string[]): Promise<void> {
  const config = readConfig(argv, process.env);
  const log = makeLogger({ level: config.logLevel, format: config.logFormat });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => stop.abort(new AppError('STOPPED', `told to stop (${name})`)));
  }
  await runControllerApp(config, { log, stop: stop.signal });
}

/** Exit codes: 0 stopped as asked, 1 cannot work, 2 wrong flags. */
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`lateen-controller: ${describeError(error)}\n`);
    process.exitCode = isAppError(error, 'USAGE') ? 2 : 1;
  }
}
