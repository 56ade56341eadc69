import { writeFileSync } from 'node:fs';
import { describeError } from '@lateen/errors';
import { makeLogger } from '@lateen/logging';
import { exitCodeOf, exitCodes, stopSignal, writeTermination } from '@lateen/process';
import { runMover } from './compose.ts';
import { readConfig } from './config.ts';
import { helpText, parseFlags } from './flags.ts';

const program = 'data-mover';

/** Exit codes: flags.ts, `helpText`. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return exitCodes.done;
  }
  const config = readConfig(process.env);
  const log = makeLogger({ level: command.logLevel, format: command.logFormat });
  process.once('uncaughtException', (error) => endAtOnce(config.terminationLogPath, error));
  const stop = stopSignal('the data mover was told to stop', { again: 'ignored' });
  try {
    return await runMover(command, config, { log, stop });
  } catch (error) {
    log.error({ err: error }, 'the data mover cannot work');
    await writeTermination(config.terminationLogPath, describeError(error), log);
    return exitCodes.failed;
  }
}

/** A defect: whatever is going on, the pod must end and say why. Its death takes the engine with it. */
function endAtOnce(terminationLogPath: string, error: unknown): never {
  process.stderr.write(`${program}: ${error instanceof Error ? error.stack : String(error)}\n`);
  try {
    writeFileSync(terminationLogPath, `the data mover broke down: ${describeError(error)}`);
  } finally {
    process.exit(exitCodes.failed);
  }
}

/** Everything is told and written by then; what still runs (an Event that cannot be stored) must not hold the pod. */
process.exit(await exitCodeOf(program, () => main(process.argv.slice(2))));
