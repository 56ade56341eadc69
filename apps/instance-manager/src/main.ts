import { makeLogger } from '@lateen/logging';
import { exitCodeOf, exitCodes, stopSignal } from '@lateen/process';
import { readCommand } from './config/command.ts';
import { helpText } from './config/help.ts';

process.exitCode = await exitCodeOf('lateen-instance-manager', async () => {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.kind === 'help') {
    process.stdout.write(helpText);
    return exitCodes.done;
  }
  const { logLevel: level, logFormat: format } = command.config;
  const log = makeLogger({ level, format }).child({ part: command.kind });
  const stop = stopSignal('told to stop', { again: 'ignored' });
  // Each loads what it needs: there is one process of the last kind for each volume.
  if (command.kind === 'keep') {
    const { runKeep } = await import('./keep/run-keep.ts');
    await runKeep({ ...command, environment: ownEnvironment() }, { log, stop });
  } else {
    const { runServe } = await import('./serve/run-serve.ts');
    await runServe(command.config, process.env, { log, stop });
  }
  return exitCodes.done;
});

function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
