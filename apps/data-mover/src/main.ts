import { systemClock } from '@lateen/kernel';
import { makeLogger } from '@lateen/logging';
import { exitCodes, podExitCode, stopSignal } from '@lateen/process';
import { runMover } from './compose.ts';
import { readConfig } from './config.ts';
import { helpText, parseFlags } from './flags.ts';
import { restoredVolumes, waitForVolumes } from './restore-wait.ts';

/** Exit codes: flags.ts, `helpText`. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseFlags(argv);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return exitCodes.done;
  }
  if (command.kind === 'restore-wait') return await waitForRestore(command.restoreUid);
  const config = readConfig(process.env);
  const log = makeLogger({ level: command.logLevel, format: command.logFormat });
  const stop = stopSignal('the data mover was told to stop', { again: 'ignored' });
  return runMover(command, config, { log, stop });
}

async function waitForRestore(restoreUid: string): Promise<number> {
  const log = makeLogger({ level: 'info', format: 'text' });
  const stop = stopSignal('the waiting for restored volumes was told to stop', { again: 'ends' });
  await waitForVolumes({ clock: systemClock, log }, { directory: restoredVolumes, restoreUid }, stop);
  return exitCodes.done;
}

const program = { name: 'data-mover', environment: process.env, main: () => main(process.argv.slice(2)) };

/** All reports are written at this point; an Event that still cannot be stored must not keep the pod running. */
process.exit(await podExitCode(program));
