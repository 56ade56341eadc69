import { AppError, describeError, isAppError } from '@lateen/errors';
import { fdSink, makeLogger } from '@lateen/logging';
import { CommanderError } from 'commander';
import { runNodeAgent } from './compose.ts';
import { readConfig } from './config.ts';

async function main(argv: readonly string[]): Promise<void> {
  const config = readConfig(argv, process.env);
  // Our own log and the repeated logs of the hosting pods go through one writer, so that no line is torn.
  const sink = fdSink({ fd: 1 });
  const log = makeLogger({ level: config.logLevel, format: config.logFormat, destination: sink });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => stop.abort(new AppError('STOPPED', `told to stop (${name})`)));
  await runNodeAgent(config, { log, sink, stop: stop.signal });
}

/** Exit codes: 0 stopped as asked, 1 cannot work, 2 wrong flags. */
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`lateen-node-agent: ${describeError(error)}\n`);
    process.exitCode = isAppError(error, 'USAGE') ? 2 : 1;
  }
}
