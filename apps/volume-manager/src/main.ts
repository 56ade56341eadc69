import { describeError, isAppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { makeLogger } from '@lateen/logging';
import { exitCodes, stopSignal } from '@lateen/process';
import { hostCommands, nodeFiles } from '@lateen/volume';
import { serveDriver } from './compose.ts';
import { type Config, readConfig } from './config.ts';

/** Exit codes: 0 stopped by a signal, 1 failed, 2 wrong flags. */
async function main(): Promise<number> {
  const config = configOrUsage(process.argv.slice(2));
  if (typeof config === 'number') return config;
  const log = makeLogger({ level: config.logLevel, format: config.logFormat });
  const stop = stopSignal('told to stop', { again: 'ends' });
  try {
    const run = hostCommands({ clock: systemClock, environment: process.env });
    await serveDriver(config, { log, clock: systemClock, run, files: nodeFiles }, stop);
    return exitCodes.done;
  } catch (error) {
    log.error({ err: error }, 'the driver failed');
    process.stderr.write(`error: ${describeError(error)}\n`);
    return exitCodes.failed;
  }
}

function configOrUsage(args: readonly string[]): Config | number {
  try {
    return readConfig(args);
  } catch (error) {
    if (!isAppError(error, 'USAGE')) throw error;
    const isAnswer = error.details.isAnswer === true;
    (isAnswer ? process.stdout : process.stderr).write(`${error.message}\n`);
    return isAnswer ? exitCodes.done : exitCodes.usage;
  }
}

process.exitCode = await main();
