import type { LogFormat, Logger, LogLevel } from '@lateen/kernel';
import { makeLogger } from '@lateen/logging';
import { exitCodeOf, exitCodes, stopSignal } from '@lateen/process';
import { type InstanceManagerCommand, readCommand } from './config/command.ts';
import { helpText } from './config/help.ts';

process.exitCode = await exitCodeOf('lateen-instance-manager', async () => {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.kind === 'help') process.stdout.write(helpText);
  else await run(command);
  return exitCodes.done;
});

/** Each command loads only what it needs: the last kinds have one process for each volume. */
async function run(command: Exclude<InstanceManagerCommand, { kind: 'help' }>): Promise<void> {
  const stop = stopSignal('told to stop', { again: 'ignored' });
  const logOf = ({ logLevel: level, logFormat: format }: { logLevel: LogLevel; logFormat: LogFormat }): Logger =>
    makeLogger({ level, format }).child({ part: command.kind });
  if (command.kind === 'engine') {
    const { readEngineConfig } = await import('./engines/engine-config.ts');
    const { runEngine } = await import('./engine/run-engine.ts');
    const config = await readEngineConfig(command.configPath);
    return await runEngine(config, process.env, { log: logOf(config), stop });
  }
  if (command.kind === 'transfer') {
    const { readTransferConfig } = await import('./transfers/transfer-config.ts');
    const { runTransfer } = await import('./transfer/run-transfer.ts');
    const config = await readTransferConfig(command.configPath);
    return await runTransfer(config, process.env, { log: logOf(config), stop });
  }
  const log = logOf(command.config);
  if (command.kind === 'serve') {
    const { runServe } = await import('./serve/run-serve.ts');
    return await runServe(command.config, process.env, { log, stop });
  }
  const { runKeep } = await import('./keep/run-keep.ts');
  await runKeep({ ...command, environment: ownEnvironment() }, { log, stop });
}

function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
