import { systemClock, systemRandom } from '@lateen/kernel';
import { makeLogger } from '@lateen/logging';
import { stopSignal } from '@lateen/process';
import { serverExitCode } from '@lateen/process/server';
import { hostCommands, nodeFiles } from '@lateen/volume';
import { type Invocation, readCommandLine } from './command-line.ts';

/** Exit codes: 0 stopped by a signal, 1 failed, 2 wrong flags. */
process.exitCode = await serverExitCode('lateen-volume-manager', async () => {
  const invocation = readCommandLine(process.argv.slice(2), process.env);
  await run(invocation, stopSignal('told to stop', { again: 'ends' }));
});

/** Each part is loaded when it is run: a manager that has loaded the parts of CSI too takes 5 MB more. */
async function run({ command, config }: Invocation, stop: AbortSignal): Promise<void> {
  const log = makeLogger({ level: config.logLevel, format: config.logFormat });
  const base = { log, clock: systemClock, random: systemRandom };
  const host = () => ({ run: hostCommands({ clock: systemClock, environment: process.env }), files: nodeFiles });
  switch (command) {
    case 'local':
      return (await import('./local/serve-local.ts')).serveLocal(config, { ...base, ...host() }, stop);
    case 'metadata':
      return (await import('./local-metadata/serve-local-metadata.ts')).serveLocalMetadata(config, base, stop);
    case 'csi':
      return (await import('./replicated/serve-replicated.ts')).serveReplicated(config, { ...base, ...host() }, stop);
    case 'manager':
      return (await import('./manager/run-manager.ts')).runManager(config, base, stop);
  }
}
