import { writeFileSync } from 'node:fs';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { makeLogger } from '@lateen/logging';
import { runMover, writeTermination } from './compose.ts';
import { readConfig } from './config.ts';
import { helpText, parseFlags } from './flags.ts';

/** Exit codes: flags.ts, `helpText`. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return 0;
  }
  const config = readConfig(process.env);
  const log = makeLogger({ level: command.logLevel, format: command.logFormat });
  process.once('uncaughtException', (error) => endAtOnce(config.terminationLogPath, error));
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => stop.abort(new AppError('STOPPED', `the data mover was told to stop (${name})`)));
  }
  try {
    return await runMover(command, config, { log, stop: stop.signal });
  } catch (error) {
    log.error({ err: error }, 'the data mover cannot work');
    await writeTermination(config.terminationLogPath, describeError(error), log);
    return 1;
  }
}

/** A defect: whatever is going on, the pod must end and say why. Its death takes the engine with it. */
function endAtOnce(terminationLogPath: string, error: unknown): never {
  process.stderr.write(`data-mover: ${error instanceof Error ? error.stack : String(error)}\n`);
  try {
    writeFileSync(terminationLogPath, `the data mover broke down: ${describeError(error)}`);
  } finally {
    process.exit(1);
  }
}

/** Everything is told and written by then; what still runs (an Event that cannot be stored) must not hold the pod. */
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`data-mover: ${describeError(error)}\n`);
  process.exit(isAppError(error, 'USAGE') ? 2 : 1);
}
