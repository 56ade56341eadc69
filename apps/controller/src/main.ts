import { makeLogger } from '@lateen/logging';
import { stopSignal } from '@lateen/process';
import { serverExitCode } from '@lateen/process/server';
import { runControllerApp } from './compose.ts';
import { readConfig } from './config.ts';

process.exitCode = await serverExitCode('lateen-controller', async () => {
  const config = readConfig(process.argv.slice(2), process.env);
  const log = makeLogger({ level: config.logLevel, format: config.logFormat });
  await runControllerApp(config, { log, stop: stopSignal('told to stop', { again: 'ends' }) });
});
