import { describeError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { clusterProgram, exitCodeOf, exitCodes } from './cli/program.ts';
import { streamProgress } from './progress/stream-progress.ts';

const interrupted = new AbortController();
// `on`, not `once`: a listener of execa ends the process immediately when it finds no other listener.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
    interrupted.abort(new Error(`interrupted by ${name}`));
  });

const program = clusterProgram({
  print: (text) => process.stdout.write(`${text}\n`),
  progress: streamProgress(process.stderr, systemClock),
  signal: interrupted.signal,
});

try {
  await program.parseAsync();
} catch (error) {
  const { code, printed } = exitCodeOf(error);
  if (interrupted.signal.aborted) {
    process.stderr.write('Interrupted. Run the same command again to finish it, or `down` to remove what there is.\n');
    process.exitCode = exitCodes.interrupted;
  } else {
    if (!printed) process.stderr.write(`lateen: ${describeError(error)}\n`);
    process.exitCode = code;
  }
}
