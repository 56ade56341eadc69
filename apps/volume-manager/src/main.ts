import { describeError, isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { makeLogger } from '@lateen/logging';
import { nodeFiles } from '@lateen/volume';
import { serveDriver } from './compose.ts';
import { type Config, readConfig } from './config.ts';
import { runCommand } from './run-command.ts';

/** Exit codes: 0 stopped by a signal, 1 failed, 2 wrong flags. */
async function main(): Promise<number> {
  const config = configOrUsage(process.argv.slice(2));
  if (typeof config === 'number') return config;
  const log = makeLogger({ level: config.logLevel, format: config.logFormat });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(name));
  try {
    await serveDriver(config, { log, clock: systemClock, run: runCommand, files: nodeFiles }, stop.signal);
    return 0;
  } catch (error) {
    log.error({ err: error }, 'the driver failed');
    process.stderr.write(`error: ${describeError(error)}\n`);
    return 1;
  }
}

function configOrUsage(args: readonly string[]): Config | number {
  try {
    return readConfig(args);
  } catch (error) {
    if (!isAppError(error, 'USAGE')) throw error;
    const isAnswer = error.details.isAnswer === true;
    (isAnswer ? process.stdout : process.stderr).write(`${error.message}\n`);
    return isAnswer ? 0 : 2;
  }
}

process.exitCode = await main();
