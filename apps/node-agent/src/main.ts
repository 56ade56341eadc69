import { fdSink, makeLogger } from '@lateen/logging';
import { stopSignal } from '@lateen/process';
import { serverExitCode } from '@lateen/process/server';
import { runNodeAgent } from './compose.ts';
import { readConfig } from './config.ts';

process.exitCode = await serverExitCode('lateen-node-agent', async () => {
  const config = readConfig(process.argv.slice(2), process.env);
  // Our own log and the copied logs of the hosting pods go through one writer, so that lines are never mixed.
  const sink = fdSink({ fd: 1 });
  const log = makeLogger({ level: config.logLevel, format: config.logFormat, destination: sink });
  await runNodeAgent(config, { log, sink, stop: stopSignal('told to stop', { again: 'ends' }) });
});
